/** Run as a process of its own: a turn and much nonsense, after which nothing may have been printed. */
import type { PluginInput } from "@opencode-ai/plugin"
import plugin from "../recollect.ts"
import { Client } from "./client.ts"

const client = { app: { log: async () => undefined }, tui: { showToast: async () => undefined } }
const hooks = await plugin.server({ client, directory: process.env.HOME } as unknown as PluginInput)
const host = new Client(hooks)
const session = await host.session()
await host.request(session, [await host.prompt(session, "How do we deploy?")])
for (const name of Object.keys(hooks))
  for (const one of [undefined, null, 5, {}, { messages: [null] }]) await host.call(name, one, one)
await host.call("dispose")
