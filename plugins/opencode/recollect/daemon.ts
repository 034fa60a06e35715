// Recollect for OpenCode: requests to the daemon. In order, in time, or not at all.
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { commands, isOurs, note, socketPath } from "./places.ts"

export const PROMPT_MS = 400 // a prompt waits at most this long for its block
export const START_MS = 1800 // a session's first prompt, for its start block and the start of the daemon
export const TELL_MS = 2000
const QUIET_MS = 5000 // after a time-out only a session start asks: a hung daemon costs one delay, not one per turn
const HELD_UP_MS = 200 // a time-out noticed later than this: the host itself was busy, not the daemon
const RESPAWN_MS = 15_000
const POLL_MS = 25
const BESIDE_POLL_MS = 500
const MAX_PENDING = 500 // events for a daemon that does not run, the newest ones
const HEAD_CHARS = 40_000 // of a long text: the subject of a question is at its beginning,
const TAIL_CHARS = 20_000 // and an error at its end
const MAX_ANSWER_CHARS = 1_000_000
const ABSENT = new Set(["ENOENT", "ECONNREFUSED", "FailedToOpenSocket", "ConnectionRefused"])

export type Json = Record<string, any>
type Note = [path: string, body: string] // already serialised and shortened
type Deadline = { limitMs: number; at: number }

const isAbsent = (error: unknown) => ABSENT.has(String((error as { code?: string }).code))
const isPast = ({ at }: Deadline) => Date.now() >= at - 1
const isHung = (by: Deadline) => isPast(by) && Date.now() < by.at + HELD_UP_MS && by.limitMs >= PROMPT_MS

export class Daemon {
  private readonly socket = socketPath()
  private quietUntil = 0
  private spawnedAt = 0
  private pending: Note[] = []
  private last: Promise<unknown> = Promise.resolve()

  /** Returns the answer, or undefined if there is none in time. Never throws. */
  ask(path: string, body: Json | undefined, deadlineMs: number): Promise<Json | undefined> {
    const sent = body && JSON.stringify(body, shorten)
    return this.next(path, deadlineMs, (by) => this.answer(path, sent, by))
  }

  /** Asks outside the queue, for background work: it delays nothing, may wait for a daemon that is starting, and a late
   * answer does not count as a hung daemon. */
  async askBeside(path: string, body: Json, limitMs: number): Promise<Json | undefined> {
    const by = { limitMs, at: Date.now() + limitMs }
    while (await isOurs(dirname(this.socket)))
      try {
        return await this.exchange(path, JSON.stringify(body), by)
      } catch (error) {
        if (!isAbsent(error) || isPast(by)) throw error
        await new Promise((resolve) => setTimeout(resolve, BESIDE_POLL_MS).unref?.())
      }
  }

  /** Sends an event; keeps it until the daemon has it. */
  tell(path: string, body: Json): void {
    this.pending = [...this.pending.slice(1 - MAX_PENDING), [path, JSON.stringify(body, shorten)]]
    void this.flush(TELL_MS)
  }

  async flush(limitMs: number): Promise<void> {
    await this.next("flush", limitMs, async () => undefined)
  }

  /** Runs requests one after another, earlier events first. The caller waits at most `limitMs`. */
  private next<T>(path: string, limitMs: number, work: (by: Deadline) => Promise<T>): Promise<T | undefined> {
    const by = { limitMs, at: Date.now() + limitMs }
    const newest = this.pending.at(-1)
    const done = this.last.then(() => this.sendPending(newest, by)).then(() => work(by))
    this.last = done.catch((error) => void note(path, error))
    return within(this.last as Promise<T>, limitMs)
  }

  private async sendPending(newest: Note | undefined, by: Deadline): Promise<void> {
    for (let first = this.pending[0]; first && newest && this.pending.includes(newest); first = this.pending[0]) {
      // An unreadable answer is an answer: the event is not sent again.
      const answer = this.answer(...first, by).catch((error) => (isPast(by) ? Promise.reject(error) : {}))
      if (!(await answer)) return
      this.pending = this.pending.filter((one) => one !== first)
    }
  }

  /** A session start waits for a daemon that is starting, and asks one that was late. A prompt does neither. */
  private async answer(path: string, body: string | undefined, by: Deadline): Promise<Json | undefined> {
    if (!(await isOurs(dirname(this.socket)))) throw new Error(`${dirname(this.socket)} belongs to another user`)
    while (!isPast(by) && (Date.now() >= this.quietUntil || by.limitMs === START_MS)) {
      try {
        return await this.exchange(path, body, by)
      } catch (error) {
        if (!isAbsent(error) && isHung(by)) this.quietUntil = Date.now() + QUIET_MS
        if (!isAbsent(error)) throw error
        if (!(await this.starting()) || by.limitMs !== START_MS) return undefined
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    }
  }

  private async exchange(path: string, body: string | undefined, by: Deadline): Promise<Json> {
    const signal = AbortSignal.timeout(Math.max(1, by.at - Date.now()))
    // A new connection each time: an old one may lead to a daemon that has ended.
    const options = { unix: this.socket, redirect: "error", keepalive: false, signal, method: body ? "POST" : "GET", body }
    const response = await fetch(`http://localhost${path}`, options as RequestInit)
    const content = await response.text()
    this.quietUntil = 0
    if (content.length > MAX_ANSWER_CHARS) throw new Error(`an answer of ${content.length} characters`)
    const answer: Json | null = JSON.parse(content)
    if (!response.ok || !answer) void note(path, JSON.stringify(answer?.error ?? response.status))
    return (response.ok && answer) || {} // a refused event is not sent again
  }

  /** Starts a daemon; true while one is starting. A failed start is repeated after RESPAWN_MS. */
  private async starting(): Promise<boolean> {
    if (Date.now() < this.spawnedAt + START_MS) return true
    if (Date.now() < this.spawnedAt + RESPAWN_MS) return false
    this.spawnedAt = Date.now() - START_MS // not starting yet
    const [program = "", ...words] = (await commands()).command
    const child = spawn(program, words, { cwd: "/", detached: true, stdio: "ignore", env: daemonEnv() })
    child.on("error", (error) => {
      this.spawnedAt = Date.now() - START_MS // not starting
      void note("start the daemon", error)
    })
    child.unref()
    this.spawnedAt = Date.now()
    return true
  }
}

/** Returns the result, or undefined if it takes too long. */
export async function within<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>()
  const timer = setTimeout(over.resolve, Math.max(0, limitMs)) // the host would show a warning for a negative time
  return Promise.race([work, over.promise]).finally(() => clearTimeout(timer))
}

/** Cuts long texts: a picture or the whole output of a build is not worth remembering. */
function shorten(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= HEAD_CHARS + TAIL_CHARS) return value
  return value.startsWith("data:") ? "data:" : `${value.slice(0, HEAD_CHARS)}\n${value.slice(-TAIL_CHARS)}`
}

/** The host's environment has API keys in it: the daemon gets only what it needs. */
function daemonEnv(): Record<string, string> {
  const wanted = /^(HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*)$/
  const kept = Object.entries(process.env).filter(([name]) => wanted.test(name)) as [string, string][]
  return { ...Object.fromEntries(kept), MALLOC_ARENA_MAX: "2" } // not one heap per thread
}
