// Recollect for OpenCode: the blocks of each session. The first request is final: a message sent without a block stays so.
import { type Daemon, type Json, PROMPT_MS, START_MS } from "./daemon.ts"

const START = "start" // the start block's name among the carriers of blocks
const MAX_SESSIONS = 300 // in one process; older ones are looked up in the daemon's log again
const MAX_BLOCK_CHARS = 32_000
// In CI there is no user; and `opencode run` puts its argument between quotes.
const IN_CI = ["CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION"].some((name) => !/^(0|false)?$/i.test(process.env[name] ?? ""))

export type Message = { info: Json; parts: Json[] }

class SessionState {
  constructor(readonly about: Json) {} // sent with every request: directory, agent, parent, window
  start?: Promise<string> // the start block; the first answer is final
  systemBlock?: string // with `placement = "system"`: the last prompt's block, which replaces the start block
  prompts = new Map<string, Json>() // not yet sent
  blocks = new Map<string, Promise<string>>() // by message, or by tool call
  live: string[] = [] // carriers of a block in the last request
  running = new Set<string>() // tools at work; one that first appears finished is the copy of an old one
  replies = new Map<string, string>()
  command?: string // its template is the next prompt
}

export class Sessions {
  private readonly known = new Map<string, SessionState>()

  constructor(readonly daemon: Daemon, readonly directory: string, readonly welcome: (notice: string) => void) {}

  of(sessionID: string): SessionState {
    const sent = this.known.get(sessionID) ?? new SessionState({ directory: this.directory, headless: IN_CI, run: process.argv.includes("run") })
    this.known.delete(sessionID) // the newest last
    this.known.set(sessionID, sent)
    for (const oldest of [...this.known.keys()].slice(0, -MAX_SESSIONS)) this.known.delete(oldest)
    return sent
  }

  notePrompt(message: Json, parts: Json[]): void {
    const sent = this.of(message.sessionID)
    sent.about.agent = message.agent
    sent.prompts.set(message.id, { at: message.time?.created, parts: parts.filter(isTyped), command: sent.command })
    sent.command = undefined
  }

  /** Returns the block of each message and call of a request: the one sent before, else a new one for the live context. */
  async blocksFor(messages: Message[], sentBy: number): Promise<Map<string, string>> {
    const newest = messages.findLast(({ info }) => info.role === "user")
    if (!newest) return new Map()
    const { id, sessionID, time } = newest.info
    const sent = this.of(sessionID)
    const before = () => messages.filter(({ info }) => !sent.prompts.has(info.id)).map(describeMessage)
    sent.start ??= this.askStart(sessionID, { messages: before(), at: time?.created }, START_MS).then((block) => block ?? "")
    sent.live = (await sent.start) ? [START] : [] // first, so that no memory is shown twice
    // A host may send a prompt again under another id (after a context overflow): it counts as a new one.
    if (!sent.blocks.has(id) && !sent.prompts.has(id) && newest.parts.some(isTyped))
      this.notePrompt(newest.info, newest.parts)
    for (const part of messages.flatMap(({ parts }) => parts))
      if (isFailed(part) && sent.running.has(part.id)) this.noteTool(sessionID, part) // its event has not arrived yet
    const carriers = messages.flatMap(carriersIn)
    this.replay(sessionID, sent, carriers.filter((name) => !sent.blocks.has(name) && !sent.prompts.has(name)))
    const blocks = new Map<string, string>()
    for (const name of carriers) {
      const leftMs = Math.min(PROMPT_MS, sentBy - Date.now()) // of several prompts at once, the last get no block
      const asked = { hook: "chat.message", messageID: name, ...sent.prompts.get(name), live: [...sent.live] }
      if (sent.prompts.delete(name)) sent.blocks.set(name, this.askBlock(sessionID, name, asked, leftMs))
      const block = (await sent.blocks.get(name)) ?? ""
      if (block) sent.live.push(name)
      blocks.set(name, block)
    }
    return blocks
  }

  /** Returns the block for the system prompt; "" for a request of the host's own, whose messages we never saw. */
  async system(sessionID: string): Promise<string> {
    const { systemBlock, start } = this.of(sessionID)
    return systemBlock ?? (await start) ?? ""
  }

  /** A tool's part has changed. A failed one gets its block in the next request, unless it is one of our own tools. */
  noteTool(sessionID: string, part: Json, isOurs = false): void {
    const sent = this.of(sessionID)
    const { messageID, callID, tool, state } = part
    if (state.status === "pending" || state.status === "running") sent.running.add(part.id)
    else if (sent.running.delete(part.id)) {
      const kept = { ...state, metadata: { exit: state.metadata?.exit } } // without the changed files
      const event = { hook: "tool", messageID, callID, tool, state: kept, at: state.time?.end, live: [...sent.live, messageID] }
      if (isOurs || !isFailed(part) || sent.blocks.has(nameOf(part))) this.tell(sessionID, event)
      else sent.blocks.set(nameOf(part), this.askBlock(sessionID, nameOf(part), event))
    }
  }

  noteText({ sessionID, messageID }: { sessionID: string; messageID: string }, text: string): void {
    const { replies } = this.of(sessionID)
    replies.set(messageID, [replies.get(messageID), text].filter(Boolean).join("\n\n"))
  }

  /** The model's message is complete. One without any text seen here is the copy of an old one. */
  noteReply(sessionID: string, { id, time, finish, summary }: Json): void {
    const { replies } = this.of(sessionID)
    const text = replies.get(id)
    if (!text || !replies.delete(id)) return
    if (summary) this.tell(sessionID, { hook: "session.compacted", summary: text, at: time.completed })
    else this.tell(sessionID, { hook: "reply", messageID: id, text, at: time.completed, final: finish !== "tool-calls" })
  }

  /** After a compaction the session gets a new start block; without an answer the old one stays. */
  rebuildStart(sessionID: string): void {
    const sent = this.of(sessionID)
    const before = sent.start
    const rebuilt = this.askStart(sessionID, { source: "compact" })
    sent.start = rebuilt.then(async (block) => block ?? (await before) ?? "")
    sent.systemBlock = undefined
  }

  remove(sessionID: string): void {
    this.tell(sessionID, { hook: "session.deleted" })
    this.known.delete(sessionID)
  }

  tellEnd(): void {
    for (const [sessionID, sent] of [...this.known]) if (sent.start) this.tell(sessionID, { hook: "session.ended" })
  }

  /** Looks up, once, the blocks of messages that another process sent. */
  private replay(sessionID: string, sent: SessionState, names: string[]): void {
    if (names.length === 0) return
    const logged = this.daemon.ask("/v1/replay", { session: sessionID, messages: names }, PROMPT_MS)
    for (const name of names) sent.blocks.set(name, logged.then((answer) => text(answer?.blocks?.[name])))
  }

  /** Asks for the block of a message or tool call, and confirms that it is sent. */
  private async askBlock(sessionID: string, name: string, asked: Json, deadlineMs = PROMPT_MS): Promise<string> {
    const answer = await this.ask(sessionID, asked, deadlineMs)
    if (!answer) this.tell(sessionID, asked) // too late for a block, but the daemon can still learn from it
    const block = text(answer?.block)
    if (block) this.daemon.tell("/v1/sent", { session: sessionID, messages: [name] })
    if (answer?.placement !== "system") return block
    this.of(sessionID).systemBlock = block
    return ""
  }

  private async askStart(sessionID: string, asked: Json, deadlineMs = PROMPT_MS): Promise<string | undefined> {
    const answer = await this.ask(sessionID, { hook: "session.start", ...asked }, deadlineMs)
    if (text(answer?.notice)) this.welcome(text(answer?.notice))
    return answer && text(answer.block)
  }

  ask(sessionID: string, payload: Json, deadlineMs = PROMPT_MS): Promise<Json | undefined> {
    return this.daemon.ask("/v1/hosts/opencode", { ...this.of(sessionID).about, ...payload, sessionID }, deadlineMs)
  }

  private tell(sessionID: string, payload: Json): void {
    this.daemon.tell("/v1/hosts/opencode", { ...this.of(sessionID).about, ...payload, sessionID })
  }
}

/** Returns the text, or "" if it is not a string of acceptable size: the host refuses a part that is no text. */
export function text(value: unknown): string {
  return typeof value === "string" && value.length <= MAX_BLOCK_CHARS ? value : ""
}

/** Checks whether a tool failed and its part still has the error: the host may have cleared it. */
export function isFailed({ type, state }: Json): boolean {
  if (type !== "tool" || state?.time?.compacted) return false
  return state?.status === "error" || (state?.status === "completed" && Boolean(state.metadata?.exit))
}

export const nameOf = (part: Json): string => `${part.messageID}/${part.callID}`

function carriersIn({ info, parts }: Message): string[] {
  return info.role === "user" ? [info.id] : parts.filter(isFailed).map(nameOf)
}

/** Checks whether a part comes from the user; the host adds others. */
function isTyped(part: Json): boolean {
  return part.type === "file" || (part.type === "text" && !part.synthetic && !part.ignored)
}

/** Describes a message from before this process. By these the daemon recognises a resumed session, or a copy of one,
 * which begins with the blocks of its original. */
function describeMessage({ info, parts }: Message): Json {
  const calls = parts.filter(isFailed).map((part) => ({ id: part.callID, at: part.state.time?.end }))
  return { id: info.id, at: info.time?.created, calls }
}
