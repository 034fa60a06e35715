/** A machine of its own for one test: folders, a stand-in for the daemon on a real socket. */
import { afterEach, expect } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Hooks, PluginInput } from "@opencode-ai/plugin"
import plugin from "../recollect.ts"
import { Client, type Json, type Message, type Sent } from "./client.ts"

export * from "./client.ts"

export const START_MS = 1800 // the plugin's deadlines, as the documents give them
export const PROMPT_MS = 400
export const MARGIN_MS = 2000 // for a busy machine; without a deadline a test would run into its time-out instead

export type Asked = { path: string; body: Json }
export type Answer = Json | Response | undefined

const OURS = /^(XDG_|RECOLLECT_|HOME$|TMPDIR$)/
const before = { ...process.env }
const open: Stage[] = []

afterEach(async () => {
  for (const stage of open.splice(0)) await stage.close()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})

/** Whether something comes true soon; polled, bounded. */
export async function until(isTrue: () => boolean, what: string, limitMs = 8000): Promise<void> {
  const end = Date.now() + limitMs
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`it never came true that ${what}`)
    await Bun.sleep(5)
  }
}

export async function took(work: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work
  return performance.now() - began
}

/** A stand-in for the daemon: records what it is asked, answers by the path or by the hook's name. */
export class StandIn {
  readonly asked: Asked[] = []
  answers: Record<string, (body: Json) => Answer | Promise<Answer>> = {}
  private server: ReturnType<typeof Bun.serve> | undefined
  private readonly waiting: (() => void)[] = []

  constructor(private readonly socket: string) {}

  listen(): this {
    mkdirSync(join(this.socket, ".."), { recursive: true, mode: 0o700 })
    this.server = Bun.serve({ unix: this.socket, fetch: (request) => this.answer(request) })
    return this
  }

  async stop(): Promise<void> {
    this.letGo()
    void this.server?.stop(true) // not awaited: it waits for connections that a client keeps
    this.server = undefined
    rmSync(this.socket, { force: true })
  }

  /** From now on it takes questions and does not answer, until it is let go or stopped. */
  hang(...names: string[]): void {
    for (const name of names.length ? names : ["*"]) {
      const before = this.answers[name]
      this.answers[name] = (body) => new Promise<Answer>((go) => this.waiting.push(() => go(before?.(body) ?? {})))
    }
  }

  /** What it was asked meanwhile it answers now, too late. */
  letGo(): void {
    for (const go of this.waiting.splice(0)) go()
  }

  /** After `hang()`: it answers again, what it was asked meanwhile first. */
  goOn(): void {
    delete this.answers["*"]
    this.letGo()
  }

  of(name: string): Json[] {
    return this.asked.filter((asked) => nameOf(asked) === name).map((asked) => asked.body)
  }

  get names(): string[] {
    return this.asked.map(nameOf)
  }

  private async answer(request: Request): Promise<Response> {
    const body = request.method === "POST" ? ((await request.json()) as Json) : {}
    const asked = { path: new URL(request.url).pathname, body }
    this.asked.push(asked)
    const given = this.answers["*"] ?? this.answers[nameOf(asked)]
    const answer = (await given?.(body)) ?? {}
    return answer instanceof Response ? answer : Response.json(answer)
  }
}

function nameOf({ path, body }: Asked): string {
  return path === "/v1/hosts/opencode" ? String(body.hook) : path
}

export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), "rc-"))
  readonly directory = join(this.folder, "project")
  readonly state = join(this.folder, "state", "recollect")
  readonly daemon = new StandIn(join(this.folder, "run", "recollect", "daemon.sock"))
  readonly toasts: Json[] = []
  readonly logged: Json[] = []
  readonly client = {
    app: { log: async (line: Json) => void this.logged.push(line) },
    tui: { showToast: async (toast: Json) => void this.toasts.push(toast) },
  }
  private readonly loaded: Hooks[] = []

  constructor() {
    for (const folder of [this.directory, this.state, join(this.folder, "run")]) mkdirSync(folder, { recursive: true })
    for (const name of Object.keys(process.env)) if (OURS.test(name)) delete process.env[name]
    Object.assign(process.env, {
      HOME: this.folder,
      XDG_STATE_HOME: join(this.folder, "state"),
      XDG_RUNTIME_DIR: join(this.folder, "run"),
    })
    open.push(this)
  }

  command(command: string[], mcp?: string[]): void {
    writeFileSync(join(this.state, "command.json"), JSON.stringify({ command, mcp }))
  }

  get log(): string {
    try {
      return readFileSync(join(this.state, "plugin.log"), "utf8")
    } catch {
      return ""
    }
  }

  async load(client: unknown = this.client): Promise<Client> {
    const input = { client, directory: this.directory, worktree: this.directory, project: { id: "global" } }
    const hooks = await plugin.server(input as unknown as PluginInput)
    this.loaded.push(hooks)
    return new Client(hooks)
  }

  async close(): Promise<void> {
    for (const hooks of this.loaded) await hooks.dispose?.()
    await this.daemon.stop()
    // Once more: what was still waiting for an answer is given up now, not when the next test has its own machine.
    for (const hooks of this.loaded) await hooks.dispose?.()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A stage with a daemon that has something to say, and the plugin loaded by a client. */
export async function playing(
  answers: StandIn["answers"] = BLOCKS,
): Promise<{ stage: Stage; daemon: StandIn; client: Client }> {
  const stage = new Stage()
  stage.daemon.answers = { ...answers }
  const daemon = stage.daemon.listen()
  return { stage, daemon, client: await stage.load() }
}

export const BLOCKS: StandIn["answers"] = {
  "session.start": () => ({ block: "<start>", placement: "message" }),
  "chat.message": ({ messageID }) => ({ block: `<turn ${messageID}>`, placement: "message" }),
  tool: ({ callID, state }) => (state.status === "error" || state.metadata?.exit ? { block: `<fix ${callID}>` } : {}),
  "session.compacting": () => ({ block: "<keep>" }),
}

/** What a request carries of ours: in the system prompt, and on each message. */
export function carried({ system, messages }: Sent): { system: string[]; messages: string[][] } {
  const fenced = /<(?:start|turn|fix|keep|anew)[^>]*>/g
  return {
    system: system.slice(1),
    messages: messages.map((message) => JSON.stringify(message.parts).match(fenced) ?? []),
  }
}

export function expectBare(sent: Sent, history: Message[]): void {
  expect(sent.system).toHaveLength(1)
  expect(sent.messages).toEqual(history)
}
