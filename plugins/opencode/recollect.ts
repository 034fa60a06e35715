// Recollect for OpenCode. Written by `recollect install opencode`; changes here are lost with the next install.
//
// Forwards what happens to the Recollect daemon and puts in place what it answers; decides nothing itself.
import type { Hooks, PluginInput } from "@opencode-ai/plugin"
import { Daemon, START_MS } from "./recollect/daemon.ts"
import { whatHappens, whatIsSent } from "./recollect/handlers.ts"
import { isFirstRun, note } from "./recollect/places.ts"
import { Reader } from "./recollect/reader.ts"
import { Sessions } from "./recollect/sessions.ts"

const loaded: WeakSet<object> = ((globalThis as any)[Symbol.for("recollect.opencode")] ??= new WeakSet())

async function server({ client, directory }: PluginInput): Promise<Hooks> {
  if (loaded.has(client)) return {} // it is installed for the user and for the project: one of them is enough
  loaded.add(client)
  const daemon = new Daemon()
  const sessions = new Sessions(daemon, directory, (notice) => void welcome(client, notice).catch(() => undefined))
  void daemon.ask("/v1/wake", { folder: directory }, START_MS) // its start takes longer than a prompt may wait
  const reader = new Reader(client, daemon, directory)
  return { ...whatHappens(sessions, reader), ...whatIsSent(sessions, reader) }
}

/** Once on this machine, in the host's own log and on its screen. */
async function welcome(client: PluginInput["client"], message: string): Promise<void> {
  if (!(await isFirstRun())) return
  const logged = client.app?.log({ body: { service: "recollect", level: "info", message } })
  const shown = client.tui?.showToast({ body: { title: "Recollect", message, variant: "info" } })
  await Promise.allSettled([logged, shown])
}

/** The next major version calls this (the present one may, too). What it offers to a memory is not known yet: silence. */
async function setup(context?: { session?: { hook?: unknown } }): Promise<void> {
  if (context?.session?.hook) await note("setup", "this OpenCode is newer than its plugin, which does nothing here yet")
}

export default { id: "recollect", server, setup }
