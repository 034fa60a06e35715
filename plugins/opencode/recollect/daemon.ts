// Recollect for OpenCode: what the daemon is asked and told. In order, in time, or not at all.
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { commands, isOurs, note, socketPath } from "./places.ts"

export const PROMPT_MS = 400 // one prompt waits at most this long for its block
export const START_MS = 1800 // the first one of a session also for its start block, the daemon's own start included
export const TELL_MS = 2000
const QUIET_MS = 5000 // after a time-out only a start is asked for: a hung daemon costs no delay per turn
const HELD_UP_MS = 200 // a time-out that is noticed so late: the host itself was held up, not the daemon
const RESPAWN_MS = 15_000
const POLL_MS = 25
const BESIDE_POLL_MS = 500
const MAX_UNTOLD = 500 // what happened while nobody listened, the newest of it
const HEAD_CHARS = 40_000 // of a text: what a question is about stands at its beginning,
const TAIL_CHARS = 20_000 // and an error at its end
const MAX_ANSWER_CHARS = 1_000_000
const NOBODY = new Set(["ENOENT", "ECONNREFUSED", "FailedToOpenSocket", "ConnectionRefused"])

export type Json = Record<string, any>
type Note = [path: string, body: string] // as it is sent: what waits is short
type Deadline = { limitMs: number; at: number }

const isNobody = (error: unknown) => NOBODY.has(String((error as { code?: string }).code))
const isOver = ({ at }: Deadline) => Date.now() >= at - 1
const isHung = (by: Deadline) => isOver(by) && Date.now() < by.at + HELD_UP_MS && by.limitMs >= PROMPT_MS

export class Daemon {
  private readonly socket = socketPath()
  private quietUntil = 0
  private spawnedAt = 0
  private untold: Note[] = []
  private last: Promise<unknown> = Promise.resolve()

  /** Its answer, or undefined when there is none in time. Never throws. */
  ask(path: string, body: Json | undefined, deadlineMs: number): Promise<Json | undefined> {
    const sent = body && JSON.stringify(body, shortened)
    return this.next(path, deadlineMs, (by) => this.answer(path, sent, by))
  }

  /** Beside all else: nobody waits for this one, so it holds up nothing, may wait for a daemon that only starts, and a
   * late answer says nothing of the daemon. */
  async askBeside(path: string, body: Json, limitMs: number): Promise<Json | undefined> {
    const by = { limitMs, at: Date.now() + limitMs }
    while (await isOurs(dirname(this.socket)))
      try {
        return await this.exchange(path, JSON.stringify(body), by)
      } catch (error) {
        if (!isNobody(error) || isOver(by)) throw error
        await new Promise((resolve) => setTimeout(resolve, BESIDE_POLL_MS).unref?.())
      }
  }

  /** What has happened: it is kept until the daemon has it. */
  tell(path: string, body: Json): void {
    this.untold = [...this.untold.slice(1 - MAX_UNTOLD), [path, JSON.stringify(body, shortened)]]
    void this.flush(TELL_MS)
  }

  async flush(limitMs: number): Promise<void> {
    await this.next("flush", limitMs, async () => undefined)
  }

  /** One after another, what was noted before it first. Whoever waits does so no longer than it said. */
  private next<T>(path: string, limitMs: number, work: (by: Deadline) => Promise<T>): Promise<T | undefined> {
    const by = { limitMs, at: Date.now() + limitMs }
    const newest = this.untold.at(-1)
    const done = this.last.then(() => this.tellUntil(newest, by)).then(() => work(by))
    this.last = done.catch((error) => void note(path, error))
    return within(this.last as Promise<T>, limitMs)
  }

  private async tellUntil(newest: Note | undefined, by: Deadline): Promise<void> {
    for (let first = this.untold[0]; first && newest && this.untold.includes(newest); first = this.untold[0]) {
      // An answer that cannot be read is one: it is not told again.
      const heard = this.answer(...first, by).catch((error) => (isOver(by) ? Promise.reject(error) : {}))
      if (!(await heard)) return
      this.untold = this.untold.filter((one) => one !== first)
    }
  }

  /** A session has one start: it waits for a daemon that only starts, and asks one that was late. A prompt does not. */
  private async answer(path: string, body: string | undefined, by: Deadline): Promise<Json | undefined> {
    if (!(await isOurs(dirname(this.socket)))) throw new Error(`${dirname(this.socket)} belongs to somebody else`)
    while (!isOver(by) && (Date.now() >= this.quietUntil || by.limitMs === START_MS)) {
      try {
        return await this.exchange(path, body, by)
      } catch (error) {
        if (!isNobody(error) && isHung(by)) this.quietUntil = Date.now() + QUIET_MS
        if (!isNobody(error)) throw error
        if (!(await this.starting()) || by.limitMs !== START_MS) return undefined
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    }
  }

  private async exchange(path: string, body: string | undefined, by: Deadline): Promise<Json> {
    const signal = AbortSignal.timeout(Math.max(1, by.at - Date.now()))
    // A connection of its own is never one of a daemon that has gone meanwhile.
    const options = { unix: this.socket, redirect: "error", keepalive: false, signal, method: body ? "POST" : "GET", body }
    const response = await fetch(`http://localhost${path}`, options as RequestInit)
    const said = await response.text()
    this.quietUntil = 0 // it answers again
    if (said.length > MAX_ANSWER_CHARS) throw new Error(`an answer of ${said.length} characters`)
    const answer: Json | null = JSON.parse(said)
    if (!response.ok || !answer) void note(path, JSON.stringify(answer?.error ?? response.status))
    return (response.ok && answer) || {} // what it does not understand it is not told again
  }

  /** Whether one is on its way. One that never comes is tried again after a while. */
  private async starting(): Promise<boolean> {
    if (Date.now() < this.spawnedAt + START_MS) return true
    if (Date.now() < this.spawnedAt + RESPAWN_MS) return false
    this.spawnedAt = Date.now() - START_MS // nothing is on its way yet
    const [program = "", ...words] = (await commands()).command
    const child = spawn(program, words, { cwd: "/", detached: true, stdio: "ignore", env: daemonEnv() })
    child.on("error", (error) => {
      this.spawnedAt = Date.now() - START_MS // nothing is on its way
      void note("start the daemon", error)
    })
    child.unref()
    this.spawnedAt = Date.now()
    return true
  }
}

/** The same, or undefined when it takes too long. */
export async function within<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>()
  const timer = setTimeout(over.resolve, Math.max(0, limitMs)) // less than nothing would be told to the user
  return Promise.race([work, over.promise]).finally(() => clearTimeout(timer))
}

/** A picture in a prompt or the whole output of a build are nothing to remember. */
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= HEAD_CHARS + TAIL_CHARS) return value
  return value.startsWith("data:") ? "data:" : `${value.slice(0, HEAD_CHARS)}\n${value.slice(-TAIL_CHARS)}`
}

/** The host's environment holds API keys: the daemon gets what it needs and nothing else. */
function daemonEnv(): Record<string, string> {
  const wanted = /^(HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*)$/
  const kept = Object.entries(process.env).filter(([name]) => wanted.test(name)) as [string, string][]
  return { ...Object.fromEntries(kept), MALLOC_ARENA_MAX: "2" } // one heap, not one a thread
}
