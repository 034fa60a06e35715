// Recollect for OpenCode. Written by `recollect install opencode`; changes here are lost with the next install.
//
// Forwards what happens to the Recollect daemon and puts in place what it answers; decides nothing itself.
// It never throws into the host, never prints, and never makes the host wait longer than the deadlines below.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { appendFile, lstat, readFile, stat, unlink } from "node:fs/promises"
import { existsSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

const PROMPT_MS = 400 // one prompt waits at most this long for its block
const START_MS = 1800 // the first one of a session also for its start block, the daemon's own start included
const FLUSH_MS = 1000 // on the way out
const QUIET_MS = 5000 // after a time-out nothing is asked: a hung daemon costs one delay, not one per turn
const RESPAWN_MS = 5000
const POLL_MS = 25
const SLACK_MS = 250 // a handler's own limit lies this much behind those of the questions it asks
const MAX_TEXT_CHARS = 100_000
const MAX_LOG_BYTES = 200_000
const MAX_SOCKET_PATH_BYTES = 100

type Json = Record<string, unknown>
type Part = { type?: string; text?: string; synthetic?: boolean; ignored?: boolean; [key: string]: unknown }
type Message = { info: { id: string; sessionID: string; role: string }; parts: Part[] }
type Input = { directory: string }
type SystemInput = { sessionID?: string }
type ChatInput = { sessionID: string; agent?: string }
type ChatOutput = { message: { id: string; agent?: string }; parts: Part[] }
type HostEvent = { event: { type: string; properties: { info?: { id?: string } } } }

/** What one session was sent. First sent is final: a message that went out bare stays bare. */
type Sent = { start: Promise<string>; blocks: Map<string, Promise<string>> }

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
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 12)
  return join(process.env.TMPDIR || "/tmp", `recollect-${process.getuid?.()}-${hash}`, "daemon.sock")
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
    await Promise.race([Promise.allSettled([...this.asking]), sleep(FLUSH_MS)])
  }

  private async answered(path: string, body: Json | undefined, deadlineMs: number): Promise<Json | undefined> {
    if (Date.now() < this.quietUntil) return undefined
    const answerBy = Date.now() + deadlineMs
    if (!(await isOurs(dirname(this.socket)))) throw new Error(`${dirname(this.socket)} belongs to somebody else`)
    while (Date.now() < answerBy) {
      try {
        const response = await fetch(`http://localhost${path}`, {
          unix: this.socket,
          ...(body && { method: "POST", body: JSON.stringify({ ...body, answerBy }) }),
          signal: AbortSignal.timeout(Math.max(1, answerBy - Date.now())),
        } as RequestInit)
        const answer = (await response.json()) as Json
        if (!response.ok) throw new Error(JSON.stringify(answer.error ?? response.status))
        return answer
      } catch (error) {
        if (!isRefused(error)) {
          if (Date.now() >= answerBy - 1) this.quietUntil = Date.now() + QUIET_MS
          throw error
        }
        // Nobody listens. A session's start waits for the daemon's own; a prompt goes on, and the next one finds it.
        await this.start()
        if (deadlineMs < START_MS) return undefined
        await sleep(POLL_MS)
      }
    }
    return undefined
  }

  private async start(): Promise<void> {
    if (Date.now() < this.spawnedAt + RESPAWN_MS) return
    this.spawnedAt = Date.now()
    const { command } = JSON.parse(await readFile(join(stateFolder(), "command.json"), "utf8")) as { command: string[] }
    const child = spawn(command[0], command.slice(1), { cwd: "/", detached: true, stdio: "ignore", env: daemonEnv() })
    child.on("error", (error) => void note("start the daemon", error))
    child.unref()
  }
}

function isRefused(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code ?? ""
  return ["ENOENT", "ECONNREFUSED", "FailedToOpenSocket", "ConnectionRefused"].includes(code)
}

/** The host's environment holds API keys: the daemon gets what it needs and nothing else. */
function daemonEnv(): Record<string, string> {
  const wanted = /^(HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*)$/
  return Object.fromEntries(
    Object.entries(process.env).filter(([name, value]) => wanted.test(name) && value !== undefined),
  ) as Record<string, string>
}

// ---- the moments

class Sessions {
  private readonly known = new Map<string, Sent>()

  constructor(
    private readonly daemon: Daemon,
    private readonly directory: string,
  ) {}

  /** The session's start block is asked for once, as soon as the session is heard of. */
  of(sessionID: string): Sent {
    let sent = this.known.get(sessionID)
    if (!sent) {
      const start = this.block({ hook: "session.start", sessionID }, START_MS)
      sent = { start, blocks: new Map() }
      this.known.set(sessionID, sent)
    }
    return sent
  }

  prompt(input: ChatInput, output: ChatOutput): void {
    const sent = this.of(input.sessionID)
    const parts = textParts(output.parts)
    const question = {
      hook: "chat.message",
      sessionID: input.sessionID,
      messageID: output.message.id,
      agent: output.message.agent ?? input.agent,
      parts,
    }
    // After the start block, so that nothing is shown in both. Awaited where the message is sent, not here.
    sent.blocks.set(output.message.id, sent.start.then(() => this.block(question, PROMPT_MS)))
  }

  /** What each message carries; one that this process has not sent yet is looked up in the daemon's log, once. */
  async replay(sessionID: string, messages: string[]): Promise<Map<string, string>> {
    const { blocks } = this.of(sessionID)
    const unknown = messages.filter((id) => !blocks.has(id))
    if (unknown.length > 0) {
      const logged = this.daemon
        .ask("/v1/replay", { session: sessionID, messages: unknown }, PROMPT_MS)
        .then((answer) => (answer?.blocks ?? {}) as Record<string, string>)
      for (const id of unknown) blocks.set(id, logged.then((found) => found[id] ?? ""))
    }
    return new Map(await Promise.all(messages.map(async (id) => [id, await blocks.get(id)!] as const)))
  }

  forget(sessionID: string): void {
    this.known.delete(sessionID)
  }

  private async block(payload: Json, deadlineMs: number): Promise<string> {
    const answer = await this.daemon.ask("/v1/hosts/opencode", { directory: this.directory, ...payload }, deadlineMs)
    return typeof answer?.block === "string" ? answer.block : ""
  }
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

/** The host's own calls (a title, a summary) are no conversation: they carry nothing of ours. */
function isInternal(system: string[]): boolean {
  return /^You are a (title generator|context summarization agent)/.test(system[0] ?? "")
}

/** A handler that never throws and never outlives its limit. */
function guarded<A extends unknown[]>(what: string, limitMs: number, handler: (...args: A) => Promise<void>) {
  return async (...args: A): Promise<void> => {
    try {
      await Promise.race([handler(...args), sleep(limitMs)])
    } catch (error) {
      void note(what, error)
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
      START_MS + PROMPT_MS + SLACK_MS,
      async (_: unknown, output: { messages: Message[] }) => {
        const asked = output.messages.filter((message) => message.info.role === "user")
        if (asked.length === 0) return
        const sessionID = asked[0].info.sessionID
        const blocks = await sessions.replay(sessionID, asked.map((message) => message.info.id))
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
        const block = await sessions.of(sessionID).start
        // Pushed, never put first: the host's own prompt stays the first thing that a provider caches.
        if (block) output.system.push(block)
      },
    ),

    dispose: guarded("dispose", FLUSH_MS + SLACK_MS, () => daemon.flush()),
  }
}

function partOf(message: Message, block: string): Part {
  const { id, sessionID } = message.info
  return { id: `${id}-recollect`, sessionID, messageID: id, type: "text", text: block, synthetic: true }
}
