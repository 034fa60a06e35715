// Recollect for OpenCode: the host's hooks. None of them throws, prints, or outlives its limit.
import type { Hooks } from "@opencode-ai/plugin"
import { type Json, PROMPT_MS, START_MS, TELL_MS, within } from "./daemon.ts"
import { commands, note } from "./places.ts"
import type { Reader } from "./reader.ts"
import { type Message, type Sessions, isFailed, nameOf, text } from "./sessions.ts"

const AT_ONCE_MS = 100
const LEAVING_MS = 30 // a host that ends later than this starts working again, and leaves a lock that delays its next start
const SLACK_MS = 250 // a handler's limit is this much longer than those of its requests
const REQUEST_MS = START_MS + 3 * PROMPT_MS + SLACK_MS // the start, the log, the prompt, and one more in the queue
const TITLES = "You are a title generator"
const OURS = "recollect" // our MCP server

/** A handler that never throws and never outlives its limit. */
function guard<A extends unknown[]>(what: string, limitMs: number, handler: (...args: A) => Promise<void> | void) {
  return async (...args: A): Promise<void> => {
    await within((async () => handler(...args))(), limitMs).catch((error) => void note(what, error))
  }
}

export function eventHooks(sessions: Sessions, reader: Reader): Hooks {
  const { daemon, directory } = sessions
  return {
    event: guard("event", PROMPT_MS, ({ event }) => {
      const { part, info, sessionID = info?.id } = event.properties as Json
      if (reader.isOwn(sessionID, info)) return
      if (event.type === "session.created") sessions.of(sessionID).about.parentID = info.parentID
      if (event.type === "message.part.updated" && part.type === "tool") sessions.noteTool(sessionID, part, isOurs(part))
      if (event.type === "message.updated" && info.time.completed) sessions.noteReply(sessionID, info)
      if (event.type === "session.idle") reader.working.delete(sessionID)
      if (event.type === "session.idle") void daemon.flush(TELL_MS).then(() => reader.look(sessionID))
      if (event.type === "session.compacted") sessions.rebuildStart(sessionID)
      if (event.type === "session.deleted") sessions.remove(sessionID)
    }),
    "chat.message": guard("chat.message", PROMPT_MS, (_, { message, parts }) => {
      if (reader.isOwn(message.sessionID)) return
      reader.working.add(message.sessionID)
      sessions.notePrompt(message, parts)
    }),
    "command.execute.before": guard("command", PROMPT_MS, ({ sessionID, command }) => void (sessions.of(sessionID).command = command)),
    "experimental.text.complete": guard("text", PROMPT_MS, (part, { text }) => {
      if (!reader.isOwn(part.sessionID)) sessions.noteText(part, text)
    }),
    // An agent is about to call one of our tools: announce its session to the daemon.
    "tool.execute.before": guard("tool.execute.before", AT_ONCE_MS, async ({ tool, sessionID }) => {
      if (isOurs({ tool })) await daemon.ask("/v1/asking", { session: sessionID, folder: directory }, AT_ONCE_MS)
    }),
    dispose: guard("dispose", LEAVING_MS, async () => {
      sessions.tellEnd()
      await Promise.all([daemon.flush(LEAVING_MS), reader.end()])
    }),
  }
}

export function requestHooks(sessions: Sessions, reader: Reader): Hooks {
  const internal = [TITLES, "You are a context summarization agent"]
  return {
    // Our tools need no entry in the user's configuration. The user's own entry stays; one that we wrote is completed.
    config: guard("config", PROMPT_MS, async (config) => {
      internal.push(...["title", "summary", "compaction"].flatMap((name) => config.agent?.[name]?.prompt || []))
      const [provider, ...model] = config.small_model?.split("/") ?? []
      reader.setModel(provider, model.join("/"))
      const { mcp } = await commands()
      config.mcp ??= {}
      const command = [...(mcp ?? []), "--folder", sessions.directory]
      if (mcp?.length && isReplaceable(config.mcp[OURS])) config.mcp[OURS] = { ...config.mcp[OURS], type: "local", command }
    }),
    "experimental.chat.messages.transform": guard("messages.transform", REQUEST_MS, async (_, { messages }) => {
      if (reader.isOwn(messages.at(-1)?.info.sessionID)) return
      const blocks = await sessions.blocksFor(messages, Date.now() + REQUEST_MS - SLACK_MS)
      for (const message of messages as Message[]) {
        const parts = message.parts.map((part) => withBlock(part, blocks))
        message.parts = [...parts, ...partsOf(message.info, blocks.get(message.info.id))]
      }
    }),
    // The host's own requests (a title, a summary) are not part of the conversation: they get no block.
    "experimental.chat.system.transform": guard("system", REQUEST_MS, async ({ sessionID, model }, { system }) => {
      if (reader.isOwn(sessionID)) return reader.system(system)
      if (system[0]?.startsWith(TITLES)) reader.setModel(model?.providerID, model?.id)
      if (!sessionID || internal.some((opening) => system[0]?.startsWith(opening))) return
      sessions.of(sessionID).about.window = model?.limit?.context
      const block = await sessions.system(sessionID)
      reader.begin()
      if (block) system.push(block) // never put first: the host's own prompt is the first thing that a provider caches
    }),
    "chat.params": guard("params", PROMPT_MS, ({ sessionID }, output) => {
      if (reader.isOwn(sessionID)) reader.params(output)
    }),
    "experimental.session.compacting": guard("compacting", PROMPT_MS, async ({ sessionID }, { context }) => {
      const block = text((await sessions.ask(sessionID, { hook: "session.compacting" }))?.block)
      if (block) context.push(block)
    }),
  }
}

/** Checks that the user wrote no entry of their own: `recollect install` may have written the path of another machine. */
function isReplaceable(entry: Json = { command: ["recollect", "mcp"] }): boolean {
  return entry.enabled !== false && /(^|\/)recollect mcp$/.test([entry.command].flat().join(" "))
}

const isOurs = ({ tool }: Json): boolean => tool.startsWith(`${OURS}_`)

/** Adds the block to a copy: the host's stored part stays unchanged. */
function withBlock(part: Json, blocks: Map<string, string>): Json {
  const block = isFailed(part) && blocks.get(nameOf(part))
  if (!block) return part
  const field = part.state.status === "error" ? "error" : "output"
  return { ...part, state: { ...part.state, [field]: `${part.state[field]}\n${block}` } }
}

function partsOf({ id, sessionID }: Json, text: string | undefined): Json[] {
  return text ? [{ id: `${id}-recollect`, sessionID, messageID: id, type: "text", text, synthetic: true }] : []
}
