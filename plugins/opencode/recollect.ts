// Recollect for OpenCode. Written by `recollect install opencode`; changes here are lost with the next install.
//
// Forwards events to the Recollect daemon and inserts the blocks that it answers with; decides nothing itself.
import type { Hooks, PluginInput } from "@opencode-ai/plugin"
import { Daemon, START_MS } from "./recollect/daemon.ts"
import { eventHooks, requestHooks } from "./recollect/handlers.ts"
import { isFirstRun, note } from "./recollect/places.ts"
import { Reader } from "./recollect/reader.ts"
import { Sessions } from "./recollect/sessions.ts"

const loaded: WeakSet<object> = ((globalThis as any)[Symbol.for("recollect.opencode")] ??= new WeakSet())

async function server({ client, directory }: PluginInput): Promise<Hooks> {
  if (loaded.has(client)) return {} // installed for the user and for the project: one is enough
  loaded.add(client)
  const daemon = new Daemon()
  const sessions = new Sessions(daemon, directory, (notice) => void welcome(client, notice).catch(() => undefined))
  void daemon.ask("/v1/wake", { folder: directory }, START_MS) // starting it takes longer than a prompt may wait
  const reader = new Reader(client, daemon, directory)
  return { ...eventHooks(sessions, reader), ...requestHooks(sessions, reader) }
}

/** Shows a notice once on this machine, in the host's log and on its screen. */
async function welcome(client: PluginInput["client"], message: string): Promise<void> {
  if (!(await isFirstRun())) return
  const logged = client.app?.log({ body: { service: "recollect", level: "info", message } })
  const shown = client.tui?.showToast({ body: { title: "Recollect", message, variant: "info" } })
  await Promise.allSettled([logged, shown])
}

/** The next major version of OpenCode calls this (the present one may, too). Its hooks are not known yet: do nothing. */
async function setup(context?: { session?: { hook?: unknown } }): Promise<void> {
  if (context?.session?.hook) await note("setup", "this OpenCode is newer than its plugin, which does nothing here yet")
}

export default { id: "recollect", server, setup }
