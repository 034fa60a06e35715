// Recollect for OpenCode. Written by `recollect install opencode`; changes here are lost with the next install.
//
// Forwards what happens to the Recollect daemon and puts in place what it answers; decides nothing itself.
// It never throws into the host, never prints, and never makes the host wait longer than the deadlines below.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { appendFile, lstat, readFile, stat, unlink } from "node:fs/promises"
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

const PROMPT_MS = 400 // one prompt waits at most this long for its block
const START_MS = 1800 // the first one of a session also for its start block, the daemon's own start included
const FLUSH_MS = 100 // on the way out: a host that is held up longer leaves its own locks behind
const QUIET_MS = 5000 // after a time-out nothing is asked: a hung daemon costs one delay, not one per turn
const RESPAWN_MS = 15_000
const POLL_MS = 25
const SLACK_MS = 250 // a handler's own limit lies this much behind those of the questions it asks
const MAX_TEXT_CHARS = 100_000 // of a prompt: what a question is about stands at its beginning
const MAX_BLOCK_CHARS = 32_000
const MAX_LOG_BYTES = 200_000
const MAX_SOCKET_PATH_BYTES = 100
const START = "start" // the start block's name among what carries a block

type Json = Record<string, unknown>
type Part = { type?: string; text?: string; synthetic?: boolean; ignored?: boolean; [key: string]: unknown }
type Message = { info: { id: string; sessionID: string; role: string }; parts: Part[] }
type Input = { directory: string }
type SystemInput = { sessionID?: string }
type ChatInput = { sessionID: string; agent?: string }
type ChatOutput = { message: { id: string; agent?: string }; parts: Part[] }
type HostEvent = { event: { type: string; properties: { info?: { id?: string } } } }

type Question = { agent?: string; parts: Part[] }

/** What one session was sent. First sent is final: what went out bare stays bare. */
type Sent = {
  asked: Promise<string | undefined> // the start block, asked for as soon as the session is heard of
  start?: Promise<string> // what the first request of the session went out with
  anew?: string // with `placement = "system"`: the last prompt's block, in place of the start block
  prompts: Map<string, Question> // asked by the user, not yet sent
  blocks: Map<string, Promise<string>> // message id -> what it goes out with
}

// ---- places: the same rule as in the daemon (src/recollect/config.py)

function stateFolder(): string {
  const given = process.env.XDG_STATE_HOME ?? ""
  return join(given.startsWith("/") ? given : join(process.env.HOME || homedir(), ".local/state"), "recollect")
}

function socketPath(): string {
  const given = process.env.XDG_RUNTIME_DIR ?? ""
  const usable = given.startsWith("/") && existsSync(given) && statSync(given).isDirectory()
  const folder = usable ? join(given, "recollect") : stateFolder()
  const path = join(folder, "daemon.sock")
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES && canBeWritten(folder)) return path
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 12)
  const temporary = process.env.TMPDIR ?? ""
  return join(temporary.startsWith("/") ? temporary : "/tmp", `recollect-${process.getuid?.()}-${hash}`, "daemon.sock")
}

/** Asked of the folder itself or, as long as it is not there, of the one that it would be made in. */
function canBeWritten(folder: string): boolean {
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** In a shared temporary directory anybody may have made the folder: then nobody there is our daemon. */
async function isOurs(folder: string): Promise<boolean> {
  const facts = await lstat(folder).catch(() => undefined)
  return facts === undefined || (facts.isDirectory() && facts.uid === process.getuid?.())
}

async function note(what: string, error: unknown): Promise<void> {
  try {
    const path = join(stateFolder(), "plugin.log")
    const size = await stat(path).then((facts) => facts.size, () => 0)
    if (size > MAX_LOG_BYTES) await unlink(path)
    const kind = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    await appendFile(path, `${new Date().toISOString()} opencode ${what}: ${kind}\n`, { mode: 0o600 })
  } catch {
    // no state folder yet: then there is nobody to tell
  }
}

// ---- the daemon

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

class Daemon {
  private readonly socket = socketPath()
  private quietUntil = 0
  private spawnedAt = 0
  private readonly asking = new Set<Promise<unknown>>()

  /** The daemon's answer, or undefined when there is none in time. Never throws. */
  ask(path: string, body: Json | undefined, deadlineMs: number): Promise<Json | undefined> {
    const answer = this.answered(path, body, deadlineMs).catch((error) => {
      void note(path, error)
      return undefined
    })
    this.asking.add(answer)
    void answer.finally(() => this.asking.delete(answer))
    return answer
  }

  /** Has it running before the first question comes: its start takes longer than a prompt may wait. */
  wake(): void {
    void this.ask("/v1/status", undefined, START_MS)
  }

  async flush(): Promise<void> {
    await Promise.allSettled([...this.asking])
  }

  private async answered(path: string, body: Json | undefined, deadlineMs: number): Promise<Json | undefined> {
    if (Date.now() < this.quietUntil) return undefined
    const answerBy = Date.now() + deadlineMs
    if (!(await isOurs(dirname(this.socket)))) throw new Error(`${dirname(this.socket)} belongs to somebody else`)
    while (Date.now() < answerBy) {
      try {
        return await this.exchange(path, body, answerBy)
      } catch (error) {
        if (!isRefused(error)) {
          if (Date.now() >= answerBy - 1) this.quietUntil = Date.now() + QUIET_MS
          throw error
        }
        // Nobody listens. A session's start waits for the daemon's own; a prompt goes on, and the next one finds it.
        if (!(await this.starting()) || deadlineMs < START_MS) return undefined
        await sleep(POLL_MS)
      }
    }
    throw new Error(`the daemon did not come up within ${deadlineMs} ms`)
  }

  private async exchange(path: string, body: Json | undefined, answerBy: number): Promise<Json> {
    const response = await fetch(`http://localhost${path}`, {
      unix: this.socket,
      redirect: "error",
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(Math.max(1, answerBy - Date.now())),
    } as RequestInit)
    const answer = (await response.json()) as Json | null
    if (!response.ok || answer === null) throw new Error(JSON.stringify(answer?.error ?? response.status))
    return answer
  }

  /** Whether one is on its way. One that never comes is tried again after a while, not waited for each time. */
  private async starting(): Promise<boolean> {
    if (Date.now() < this.spawnedAt + START_MS) return true
    if (Date.now() < this.spawnedAt + RESPAWN_MS) return false
    this.spawnedAt = Date.now()
    const { command } = JSON.parse(await readFile(join(stateFolder(), "command.json"), "utf8")) as { command: string[] }
    const child = spawn(command[0], command.slice(1), { cwd: "/", detached: true, stdio: "ignore", env: daemonEnv() })
    child.on("error", (error) => {
      this.spawnedAt = Date.now() - START_MS // nothing is on its way
      void note("start the daemon", error)
    })
    child.unref()
    return true
  }
}

function isRefused(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code ?? ""
  return ["ENOENT", "ECONNREFUSED", "FailedToOpenSocket", "ConnectionRefused"].includes(code)
}

/** The host's environment holds API keys: the daemon gets what it needs and nothing else. */
function daemonEnv(): Record<string, string> {
  const wanted = /^(HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*)$/
  const kept = Object.entries(process.env).filter(([name, value]) => wanted.test(name) && value !== undefined)
  return { ...(Object.fromEntries(kept) as Record<string, string>), MALLOC_ARENA_MAX: "2" } // one heap, not one a thread
}

// ---- the moments

class Sessions {
  private readonly known = new Map<string, Sent>()

  constructor(
    private readonly daemon: Daemon,
    private readonly directory: string,
  ) {}

  of(sessionID: string): Sent {
    let sent = this.known.get(sessionID)
    if (!sent) {
      sent = { asked: this.askStart(sessionID, START_MS), prompts: new Map(), blocks: new Map() }
      this.known.set(sessionID, sent)
    }
    return sent
  }

  /** The session's start block. What its first request goes out with is final; until then it is asked for once more. */
  start(sessionID: string): Promise<string> {
    const sent = this.of(sessionID)
    sent.start ??= sent.asked
      .then((block) => block ?? this.askStart(sessionID, PROMPT_MS))
      .then((block) => block ?? "")
    return sent.start
  }

  /** What the system prompt carries now. */
  async system(sessionID: string): Promise<string> {
    const start = await this.start(sessionID)
    return this.of(sessionID).anew ?? start
  }

  prompt({ sessionID, agent }: ChatInput, { message, parts }: ChatOutput): void {
    this.of(sessionID).prompts.set(message.id, { agent: message.agent ?? agent, parts: textParts(parts) })
  }

  /** What each message of a request carries: as it was sent before, else asked for now, knowing what is live. */
  async carried(sessionID: string, messages: Message[]): Promise<Map<string, string>> {
    const sent = this.of(sessionID)
    const live = (await this.start(sessionID)) ? [START] : [] // first, so that nothing is shown in both
    const newest = messages[messages.length - 1]
    // A host may send a prompt again under another id (after a context overflow): it is asked for like a new one.
    if (!sent.blocks.has(newest.info.id) && !sent.prompts.has(newest.info.id))
      sent.prompts.set(newest.info.id, { parts: textParts(newest.parts) })
    const ids = messages.map((message) => message.info.id)
    this.replay(sessionID, sent, ids.filter((id) => !sent.blocks.has(id) && !sent.prompts.has(id)))
    const blocks = new Map<string, string>()
    for (const id of ids) {
      if (!sent.blocks.has(id)) sent.blocks.set(id, this.turn(sessionID, sent, id, [...live]))
      const block = await sent.blocks.get(id)!
      if (block) live.push(id)
      blocks.set(id, block)
    }
    return blocks
  }

  forget(sessionID: string): void {
    this.known.delete(sessionID)
  }

  /** Messages that this process has not sent yet are looked up in the daemon's log, once. */
  private replay(sessionID: string, sent: Sent, messages: string[]): void {
    if (messages.length === 0) return
    const logged = this.daemon.ask("/v1/replay", { session: sessionID, messages }, PROMPT_MS)
    for (const id of messages) sent.blocks.set(id, logged.then((answer) => text((answer?.blocks as Json)?.[id])))
  }

  private async turn(sessionID: string, sent: Sent, id: string, live: string[]): Promise<string> {
    const question = sent.prompts.get(id)
    sent.prompts.delete(id)
    const answer = await this.answer({ hook: "chat.message", sessionID, messageID: id, live, ...question }, PROMPT_MS)
    const block = text(answer?.block)
    // Not awaited: only after a restart does it matter that this one was not answered too late.
    if (block) void this.daemon.ask("/v1/sent", { session: sessionID, messages: [id] }, PROMPT_MS)
    if (answer?.placement !== "system") return block
    sent.anew = block
    return ""
  }

  private async askStart(sessionID: string, deadlineMs: number): Promise<string | undefined> {
    const answer = await this.answer({ hook: "session.start", sessionID }, deadlineMs)
    return answer && text(answer.block)
  }

  private answer(payload: Json, deadlineMs: number): Promise<Json | undefined> {
    return this.daemon.ask("/v1/hosts/opencode", { directory: this.directory, ...payload }, deadlineMs)
  }
}

/** What may go into a prompt; anything else is nothing: the host refuses a request with a part that is no text. */
function text(value: unknown): string {
  return typeof value === "string" && value.length <= MAX_BLOCK_CHARS ? value : ""
}

function textParts(parts: Part[]): Part[] {
  let left = MAX_TEXT_CHARS
  return parts
    .filter((part) => part.type === "text" && typeof part.text === "string")
    .map(({ type, text, synthetic, ignored }) => {
      const kept = text!.slice(0, left)
      left -= kept.length
      return { type, text: kept, synthetic, ignored }
    })
}

/** The host's own calls (a title, a summary) are no conversation: their system prompt carries nothing of ours. */
function isInternal(system: string[]): boolean {
  return /^You are a (title generator|context summarization agent)/.test(system[0] ?? "")
}

/** A handler that never throws and never outlives its limit. */
function guarded<A extends unknown[]>(what: string, limitMs: number, handler: (...args: A) => Promise<void>) {
  return async (...args: A): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)))
    try {
      await Promise.race([handler(...args), limit])
    } catch (error) {
      void note(what, error)
    } finally {
      clearTimeout(timer)
    }
  }
}

export const Recollect = async ({ directory }: Input) => {
  const daemon = new Daemon()
  const sessions = new Sessions(daemon, directory)
  daemon.wake()
  return {
    event: guarded("event", PROMPT_MS, async ({ event }: HostEvent) => {
      const id = event.properties?.info?.id
      if (event.type === "session.created" && id) sessions.of(id)
      if (event.type === "session.deleted" && id) sessions.forget(id)
    }),

    "chat.message": guarded("chat.message", PROMPT_MS, async (input: ChatInput, output: ChatOutput) => {
      sessions.prompt(input, output)
    }),

    "experimental.chat.messages.transform": guarded(
      "messages.transform",
      START_MS + 4 * PROMPT_MS + SLACK_MS, // the start and once more, the log, the prompt, and one that was queued
      async (_: unknown, output: { messages: Message[] }) => {
        const asked = output.messages.filter((message) => message.info.role === "user")
        if (asked.length === 0) return
        const blocks = await sessions.carried(asked[0].info.sessionID, asked)
        for (const message of asked) {
          const block = blocks.get(message.info.id)
          if (block) message.parts = [...message.parts, partOf(message, block)]
        }
      },
    ),

    "experimental.chat.system.transform": guarded(
      "system.transform",
      START_MS + SLACK_MS,
      async ({ sessionID }: SystemInput, output: { system: string[] }) => {
        if (!sessionID || isInternal(output.system)) return
        const block = await sessions.system(sessionID)
        // Pushed, never put first: the host's own prompt stays the first thing that a provider caches.
        if (block) output.system.push(block)
      },
    ),

    dispose: guarded("dispose", FLUSH_MS, () => daemon.flush()),
  }
}

function partOf(message: Message, block: string): Part {
  const { id, sessionID } = message.info
  return { id: `${id}-recollect`, sessionID, messageID: id, type: "text", text: block, synthetic: true }
}
