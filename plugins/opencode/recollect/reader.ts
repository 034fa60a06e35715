// Recollect for OpenCode: one question per session to the client's own small model, where the user wants that.
import type { PluginInput } from "@opencode-ai/plugin"
import { type Daemon, type Json, within } from "./daemon.ts"
import { note } from "./places.ts"

const TITLE = "Recollect's question of process" // of a session that is gone again once it is answered
const QUESTION_MS = 30_000
const ANSWER_MS = 60_000
const LEFT_MS = 10 * ANSWER_MS

export class Reader {
  readonly working = new Set<string>() // the user's sessions that have a prompt and are not idle yet
  private readonly own = new Set<string>() // sessions that only hold a question
  private model?: { providerID: string; modelID: string }
  private question?: Json // under way
  private asking?: string // the session that holds it
  private timer?: ReturnType<typeof setTimeout>
  private hasBegun = false
  private isBusy = false
  private missed?: string // the session that fell idle meanwhile
  private isOver = false

  constructor(private readonly client: PluginInput["client"], private readonly daemon: Daemon, private readonly directory: string) {}

  isOwn(sessionID: string | undefined, info?: Json): boolean {
    if (sessionID && info && isQuestion(info)) this.own.add(sessionID)
    return this.own.has(sessionID ?? "")
  }

  /** The small model: as the user has set it, or as the client takes it for a title. */
  knows(providerID = "", modelID = ""): void {
    if (!providerID || !modelID || this.model) return
    this.model = { providerID, modelID }
    if (this.hasBegun) void this.look()
  }

  /** The client is at work: what ended before it began may be asked about. */
  begins(): void {
    if (this.hasBegun) return
    this.hasBegun = true
    void this.look()
    void this.cleared().catch((error) => note("question", error))
  }

  /** Whether a question is due: which, and when, is the daemon's to say. */
  async look(sessionID?: string): Promise<void> {
    if (this.isBusy) this.missed = sessionID
    if (!this.model || this.isBusy || this.isOver) return
    this.isBusy = true
    this.missed = undefined
    clearTimeout(this.timer)
    try {
      const asked = { folder: this.directory, session: sessionID, working: [...this.working], client: process.pid }
      const due = await this.daemon.askBeside("/v1/question", asked, QUESTION_MS)
      if (this.isOver) return
      if (typeof due?.wait_ms === "number") this.timer = setTimeout(() => void this.look(sessionID), due.wait_ms)
      this.timer?.unref?.()
      if (due?.id) await this.put(due)
    } catch (error) {
      await note("question", error)
    } finally {
      this.isBusy = false
      if (this.missed) void this.look(this.missed)
    }
  }

  /** In place of the client's own system prompt: the question brings all that the model needs. */
  system(system: string[]): void {
    system.splice(0, system.length, this.question?.system ?? "")
  }

  params(output: Json): void {
    output.maxOutputTokens = this.question?.answer_tokens
    if (output.options?.reasoningEffort) output.options.reasoningEffort = "low"
  }

  /** The client ends: what is under way is given up. */
  async end(): Promise<void> {
    this.isOver = true
    clearTimeout(this.timer)
    await this.removed(this.asking)
  }

  private async put(question: Json): Promise<void> {
    this.question = question
    const { session } = this.client
    try {
      const made = await session.create({ body: { parentID: question.session, title: `${TITLE} ${process.pid}` } })
      const id = made.data?.id
      if (!id) return note("question", JSON.stringify(made.error))
      this.own.add((this.asking = id))
      if (this.isOver) return
      const parts = [{ type: "text" as const, text: String(question.text) }]
      const asked = session.prompt({ path: { id }, body: { agent: "title", model: this.model, tools: { "*": false }, parts } })
      const answer: Json | undefined = (await within(asked, ANSWER_MS))?.data
      const text = answer?.parts.map((part: Json) => (part.type === "text" ? part.text : "")).join("")
      const tokens = answer?.info.tokens?.total // of question and answer
      if (text) this.daemon.tell("/v1/answer", { id: question.id, folder: this.directory, text, tokens })
      else await note("question", JSON.stringify(answer?.info.error ?? "no answer"))
    } finally {
      await this.removed(this.asking)
      this.question = this.asking = undefined
    }
  }

  /** What a client left behind that was ended amid its question; another one may be at its own just now. */
  private async cleared(): Promise<void> {
    const { data } = await this.client.session.list({ query: { search: TITLE } as Json })
    for (const { id, time, ...left } of (data ?? []).filter(isQuestion)) {
      const isOld = Date.now() - time.created > LEFT_MS // its process may be another one meanwhile
      if (isOld || !isAlive(Number(left.title.slice(TITLE.length)))) await this.removed(id)
    }
  }

  private async removed(id: string | undefined): Promise<void> {
    if (id) await this.client.session.delete({ path: { id } })
  }
}

const isQuestion = ({ parentID, title }: Json): boolean => Boolean(parentID && title?.startsWith(TITLE))

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH"
  }
}
