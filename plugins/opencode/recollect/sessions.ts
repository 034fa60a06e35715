// Recollect for OpenCode: what each session was sent. First sent is final: what went out bare stays bare.
import { type Daemon, type Json, PROMPT_MS, START_MS } from "./daemon.ts"

const START = "start" // the start block's name among what carries a block
const MAX_SESSIONS = 300 // in one process; an older one is looked up in the daemon's log again
const MAX_BLOCK_CHARS = 32_000
// In CI nobody sits there; and `opencode run` puts its argument between quotes.
const IN_CI = ["CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION"].some((name) => !/^(0|false)?$/i.test(process.env[name] ?? ""))

export type Message = { info: Json; parts: Json[] }

class Sent {
  constructor(readonly about: Json) {} // goes with all that the daemon is told: directory, agent, parent, window
  start?: Promise<string> // the block that its requests go out with; the first answer is final
  anew?: string // with `placement = "system"`: the last prompt's block, in place of the start block
  prompts = new Map<string, Json>() // not yet sent
  blocks = new Map<string, Promise<string>>() // of a message or of a tool's call -> what it goes out with
  live: string[] = [] // what carried a block in the last request
  running = new Set<string>() // tools at work: what only turns up finished is the copy of an old one
  replies = new Map<string, string>()
  command?: string // whose template the next prompt is
}

export class Sessions {
  private readonly known = new Map<string, Sent>()

  constructor(readonly daemon: Daemon, readonly directory: string, readonly welcome: (notice: string) => void) {}

  of(sessionID: string): Sent {
    const sent = this.known.get(sessionID) ?? new Sent({ directory: this.directory, headless: IN_CI, run: process.argv.includes("run") })
    this.known.delete(sessionID) // the newest last
    this.known.set(sessionID, sent)
    for (const oldest of [...this.known.keys()].slice(0, -MAX_SESSIONS)) this.known.delete(oldest)
    return sent
  }

  prompt(message: Json, parts: Json[]): void {
    const sent = this.of(message.sessionID)
    sent.about.agent = message.agent
    sent.prompts.set(message.id, { at: message.time?.created, parts: parts.filter(isTyped), command: sent.command })
    sent.command = undefined
  }

  /** What each message and call of a request carries: as it was sent before, else asked for now, knowing what is live. */
  async carried(messages: Message[], sentBy: number): Promise<Map<string, string>> {
    const newest = messages.findLast(({ info }) => info.role === "user")
    if (!newest) return new Map()
    const { id, sessionID, time } = newest.info
    const sent = this.of(sessionID)
    const before = () => messages.filter(({ info }) => !sent.prompts.has(info.id)).map(seen)
    sent.start ??= this.askStart(sessionID, { messages: before(), at: time?.created }, START_MS).then((block) => block ?? "")
    sent.live = (await sent.start) ? [START] : [] // first, so that nothing is shown in both
    // A host may send a prompt again under another id (after a context overflow): it is asked for like a new one.
    if (!sent.blocks.has(id) && !sent.prompts.has(id) && newest.parts.some(isTyped))
      this.prompt(newest.info, newest.parts)
    for (const part of messages.flatMap(({ parts }) => parts))
      if (isFailed(part) && sent.running.has(part.id)) this.tool(sessionID, part) // seen here before it was told of
    const carriers = messages.flatMap(carriersIn)
    this.replay(sessionID, sent, carriers.filter((name) => !sent.blocks.has(name) && !sent.prompts.has(name)))
    const blocks = new Map<string, string>()
    for (const name of carriers) {
      const leftMs = Math.min(PROMPT_MS, sentBy - Date.now()) // of several prompts at once, the last go out bare
      const asked = { hook: "chat.message", messageID: name, ...sent.prompts.get(name), live: [...sent.live] }
      if (sent.prompts.delete(name)) sent.blocks.set(name, this.offered(sessionID, name, asked, leftMs))
      const block = (await sent.blocks.get(name)) ?? ""
      if (block) sent.live.push(name)
      blocks.set(name, block)
    }
    return blocks
  }

  /** What the system prompt carries now. A request whose messages were never shown is one of the host's own. */
  async system(sessionID: string): Promise<string> {
    const { anew, start } = this.of(sessionID)
    return anew ?? (await start) ?? ""
  }

  /** A tool's part has changed. What is known of its error rides on it in the next request; our own know no errors. */
  tool(sessionID: string, part: Json, isOurs = false): void {
    const sent = this.of(sessionID)
    const { messageID, callID, tool, state } = part
    if (state.status === "pending" || state.status === "running") sent.running.add(part.id)
    else if (sent.running.delete(part.id)) {
      const kept = { ...state, metadata: { exit: state.metadata?.exit } } // not the files that it has changed
      const told = { hook: "tool", messageID, callID, tool, state: kept, at: state.time?.end, live: [...sent.live, messageID] }
      if (isOurs || !isFailed(part) || sent.blocks.has(nameOf(part))) this.tell(sessionID, told)
      else sent.blocks.set(nameOf(part), this.offered(sessionID, nameOf(part), told))
    }
  }

  said({ sessionID, messageID }: { sessionID: string; messageID: string }, text: string): void {
    const { replies } = this.of(sessionID)
    replies.set(messageID, [replies.get(messageID), text].filter(Boolean).join("\n\n"))
  }

  /** The model's message is complete. One of which nothing was heard here is the copy of an old one. */
  replied(sessionID: string, { id, time, finish, summary }: Json): void {
    const { replies } = this.of(sessionID)
    const text = replies.get(id)
    if (!text || !replies.delete(id)) return
    if (summary) this.tell(sessionID, { hook: "session.compacted", summary: text, at: time.completed })
    else this.tell(sessionID, { hook: "reply", messageID: id, text, at: time.completed, final: finish !== "tool-calls" })
  }

  /** The messages are gone, so the start block is built anew; without the daemon, it stays. */
  compacted(sessionID: string): void {
    const sent = this.of(sessionID)
    const before = sent.start
    const anew = this.askStart(sessionID, { source: "compact" })
    sent.start = anew.then(async (block) => block ?? (await before) ?? "")
    sent.anew = undefined
  }

  deleted(sessionID: string): void {
    this.tell(sessionID, { hook: "session.deleted" })
    this.known.delete(sessionID)
  }

  ended(): void {
    for (const [sessionID, sent] of [...this.known]) if (sent.start) this.tell(sessionID, { hook: "session.ended" })
  }

  /** What this process has not sent is looked up in the daemon's log, once. */
  private replay(sessionID: string, sent: Sent, names: string[]): void {
    if (names.length === 0) return
    const logged = this.daemon.ask("/v1/replay", { session: sessionID, messages: names }, PROMPT_MS)
    for (const name of names) sent.blocks.set(name, logged.then((answer) => text(answer?.blocks?.[name])))
  }

  /** The block on a message or on one of its tools. It counts as sent once that is said. */
  private async offered(sessionID: string, name: string, asked: Json, deadlineMs = PROMPT_MS): Promise<string> {
    const answer = await this.ask(sessionID, asked, deadlineMs)
    if (!answer) this.tell(sessionID, asked) // too late to be shown, not to be learnt from
    const block = text(answer?.block)
    if (block) this.daemon.tell("/v1/sent", { session: sessionID, messages: [name] })
    if (answer?.placement !== "system") return block
    this.of(sessionID).anew = block
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

/** What may go into a prompt; anything else is nothing: the host refuses a request with a part that is no text. */
export function text(value: unknown): string {
  return typeof value === "string" && value.length <= MAX_BLOCK_CHARS ? value : ""
}

/** A tool whose part says what went wrong, unless the host has cleared it since. */
export function isFailed({ type, state }: Json): boolean {
  if (type !== "tool" || state?.time?.compacted) return false
  return state?.status === "error" || (state?.status === "completed" && Boolean(state.metadata?.exit))
}

export const nameOf = (part: Json): string => `${part.messageID}/${part.callID}`

function carriersIn({ info, parts }: Message): string[] {
  return info.role === "user" ? [info.id] : parts.filter(isFailed).map(nameOf)
}

/** By the user, or given by them; the rest of a prompt the host has made up. */
function isTyped(part: Json): boolean {
  return part.type === "file" || (part.type === "text" && !part.synthetic && !part.ignored)
}

/** A message that this process did not see happen. By these the daemon knows a session again that goes on, or a copy
 * of one, which begins with what its original was sent. */
function seen({ info, parts }: Message): Json {
  const calls = parts.filter(isFailed).map((part) => ({ id: part.callID, at: part.state.time?.end }))
  return { id: info.id, at: info.time?.created, calls }
}
