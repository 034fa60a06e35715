// Recollect for OpenCode: one question per session to the client's own small model, where the user wants that.
import type { PluginInput } from "@opencode-ai/plugin"
import { type Daemon, type Json, within } from "./daemon.ts"
import { note } from "./places.ts"

const TITLE = "Recollect's question" // of a session that is gone again once it is answered
const QUESTION_MS = 10_000
const ANSWER_MS = 60_000

export class Reader {
  private readonly own = new Set<string>() // sessions that only hold a question
  private model?: { providerID: string; modelID: string }
  private question?: Json // under way
  private timer?: ReturnType<typeof setTimeout>
  private hasBegun = false
  private isBusy = false

  constructor(private readonly client: PluginInput["client"], private readonly daemon: Daemon, private readonly directory: string) {}

  isOwn(sessionID: string | undefined, info?: Json): boolean {
    if (sessionID && info?.parentID && info.title === TITLE) this.own.add(sessionID)
    return this.own.has(sessionID ?? "")
  }

  /** The small model: as the user has set it, or as the client takes it for a title. */
  knows(providerID = "", modelID = ""): void {
    if (providerID && modelID) this.model ??= { providerID, modelID }
  }

  /** The client is at work: what ended before it began may be asked about. */
  begins(): void {
    if (!this.model || this.hasBegun) return
    this.hasBegun = true
    void this.look()
  }

  /** Whether a question is due: which, and when, is the daemon's to say. */
  async look(sessionID?: string): Promise<void> {
    if (!this.model || this.isBusy) return
    this.isBusy = true
    clearTimeout(this.timer)
    try {
      const due = await this.daemon.askBeside("/v1/question", { folder: this.directory, session: sessionID }, QUESTION_MS)
      if (typeof due?.wait_ms === "number") this.timer = setTimeout(() => void this.look(sessionID), due.wait_ms)
      this.timer?.unref?.()
      if (due?.id) await this.put(due)
    } catch (error) {
      await note("question", error)
    } finally {
      this.isBusy = false
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
    clearTimeout(this.timer)
    if (this.question) await this.removed(this.question.session)
  }

  private async put(question: Json): Promise<void> {
    this.question = question
    const { session } = this.client
    await this.removed(question.session) // one that a client left behind which was ended meanwhile
    try {
      const made = await session.create({ body: { parentID: question.session, title: TITLE } })
      const id = made.data?.id
      if (!id) return note("question", JSON.stringify(made.error))
      this.own.add(id)
      const parts = [{ type: "text" as const, text: String(question.text) }]
      const asked = session.prompt({ path: { id }, body: { agent: "title", model: this.model, tools: { "*": false }, parts } })
      const answer: Json | undefined = (await within(asked, ANSWER_MS))?.data
      const text = answer?.parts.map((part: Json) => (part.type === "text" ? part.text : "")).join("")
      const tokens = answer?.info.tokens?.total // of question and answer
      if (text) this.daemon.tell("/v1/answer", { id: question.id, folder: this.directory, text, tokens })
      else await note("question", JSON.stringify(answer?.info.error ?? "no answer"))
    } finally {
      await this.removed(question.session)
      this.question = undefined
    }
  }

  private async removed(parentID: string): Promise<void> {
    const { data = [] } = await this.client.session.children({ path: { id: parentID } })
    const left = data.filter(({ title }) => title === TITLE)
    await Promise.all(left.map(({ id }) => this.client.session.delete({ path: { id } })))
  }
}
