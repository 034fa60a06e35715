// Recollect for OpenCode: asks the client's small model one question per session, if the user has switched that on.
import type { PluginInput } from "@opencode-ai/plugin"
import { type Daemon, type Json, within } from "./daemon.ts"
import { note } from "./places.ts"

const TITLE = "Recollect's question of process" // of a temporary session, deleted after the answer
const QUESTION_MS = 30_000
const ANSWER_MS = 60_000
const LEFT_MS = 10 * ANSWER_MS

export class Reader {
  readonly working = new Set<string>() // the user's sessions in which the model works
  private readonly own = new Set<string>() // temporary sessions with a question
  private model?: { providerID: string; modelID: string }
  private question?: Json // asked now
  private asking?: string // its session
  private timer?: ReturnType<typeof setTimeout>
  private hasBegun = false
  private isBusy = false
  private missed?: string // a session that became idle meanwhile
  private isOver = false

  constructor(private readonly client: PluginInput["client"], private readonly daemon: Daemon, private readonly directory: string) {}

  isOwn(sessionID: string | undefined, info?: Json): boolean {
    if (sessionID && info && isQuestion(info)) this.own.add(sessionID)
    return this.own.has(sessionID ?? "")
  }

  /** Sets the small model: the one in the user's settings, or the one the client uses for titles. */
  setModel(providerID = "", modelID = ""): void {
    if (!providerID || !modelID || this.model) return
    this.model = { providerID, modelID }
    if (this.hasBegun) void this.look()
  }

  /** The client works now: ask about sessions that ended before it started. */
  begin(): void {
    if (this.hasBegun) return
    this.hasBegun = true
    void this.look()
    void this.clearLeftovers().catch((error) => note("question", error))
  }

  /** Gets a question from the daemon, which decides which one and when, and asks it. */
  async look(sessionID?: string): Promise<void> {
    if (this.isBusy) this.missed = sessionID
    if (!this.model || this.isBusy || this.isOver) return
    this.isBusy = true
    this.missed = undefined
    clearTimeout(this.timer)
    try {
      const request = { folder: this.directory, session: sessionID, working: [...this.working], client: process.pid }
      const due = await this.daemon.askBeside("/v1/question", request, QUESTION_MS)
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

  /** Replaces the client's system prompt: the question has everything that the model needs. */
  system(system: string[]): void {
    system.splice(0, system.length, this.question?.system ?? "")
  }

  params(output: Json): void {
    output.maxOutputTokens = this.question?.answer_tokens
    if (output.options?.reasoningEffort) output.options.reasoningEffort = "low"
  }

  /** The client ends: give up a running question. */
  async end(): Promise<void> {
    this.isOver = true
    clearTimeout(this.timer)
    await this.removeSession(this.asking)
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
      const request = session.prompt({ path: { id }, body: { agent: "title", model: this.model, tools: { "*": false }, parts } })
      const answer: Json | undefined = (await within(request, ANSWER_MS))?.data
      const text = answer?.parts.map((part: Json) => (part.type === "text" ? part.text : "")).join("")
      const tokens = answer?.info.tokens?.total // of question and answer
      if (text) this.daemon.tell("/v1/answer", { id: question.id, folder: this.directory, text, tokens })
      else await note("question", JSON.stringify(answer?.info.error ?? "no answer"))
    } finally {
      await this.removeSession(this.asking)
      this.question = this.asking = undefined
    }
  }

  /** Deletes questions of clients that ended too early, but not those of other running clients. */
  private async clearLeftovers(): Promise<void> {
    const { data } = await this.client.session.list({ query: { search: TITLE } as Json })
    for (const { id, time, ...left } of (data ?? []).filter(isQuestion)) {
      const isOld = Date.now() - time.created > LEFT_MS // its process id may belong to another program by now
      if (isOld || !isAlive(Number(left.title.slice(TITLE.length)))) await this.removeSession(id)
    }
  }

  private async removeSession(id: string | undefined): Promise<void> {
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
