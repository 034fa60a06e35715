// Recollect for OpenCode: the host's hooks. None of them throws, prints, or outlives its limit.
import type { Hooks } from "@opencode-ai/plugin"
import { type Json, PROMPT_MS, START_MS, TELL_MS, within } from "./daemon.ts"
import { commands, note } from "./places.ts"
import type { Reader } from "./reader.ts"
import { type Message, type Sessions, isFailed, nameOf, text } from "./sessions.ts"

const AT_ONCE_MS = 100
const LEAVING_MS = 30 // a host whose end is held up longer begins work anew, and leaves a lock that its next start waits for
const SLACK_MS = 250 // a handler's own limit lies this much behind those of the questions it asks
const REQUEST_MS = START_MS + 3 * PROMPT_MS + SLACK_MS // the start, the log, the prompt, and one queued
const TITLES = "You are a title generator"
const OURS = "recollect" // our server of tools

/** A handler that never throws and never outlives its limit. */
function guarded<A extends unknown[]>(what: string, limitMs: number, handler: (...args: A) => Promise<void> | void) {
  return async (...args: A): Promise<void> => {
    await within((async () => handler(...args))(), limitMs).catch((error) => void note(what, error))
  }
}

export function whatHappens(sessions: Sessions, reader: Reader): Hooks {
  const { daemon, directory } = sessions
  return {
    event: guarded("event", PROMPT_MS, ({ event }) => {
      const { part, info, sessionID = info?.id } = event.properties as Json
      if (reader.isOwn(sessionID, info)) return
      if (event.type === "session.created") sessions.of(sessionID).about.parentID = info.parentID
      if (event.type === "message.part.updated" && part.type === "tool") sessions.tool(sessionID, part, isOurs(part))
      if (event.type === "message.updated" && info.time.completed) sessions.replied(sessionID, info)
      if (event.type === "session.idle") reader.working.delete(sessionID)
      if (event.type === "session.idle") void daemon.flush(TELL_MS).then(() => reader.look(sessionID))
      if (event.type === "session.compacted") sessions.compacted(sessionID)
      if (event.type === "session.deleted") sessions.deleted(sessionID)
    }),
    "chat.message": guarded("chat.message", PROMPT_MS, (_, { message, parts }) => {
      if (reader.isOwn(message.sessionID)) return
      reader.working.add(message.sessionID)
      sessions.prompt(message, parts)
    }),
    "command.execute.before": guarded("command", PROMPT_MS, ({ sessionID, command }) => void (sessions.of(sessionID).command = command)),
    "experimental.text.complete": guarded("text", PROMPT_MS, (part, { text }) => {
      if (!reader.isOwn(part.sessionID)) sessions.said(part, text)
    }),
    // An agent is about to ask by one of our tools: the daemon is told in which session.
    "tool.execute.before": guarded("tool.execute.before", AT_ONCE_MS, async ({ tool, sessionID }) => {
      if (isOurs({ tool })) await daemon.ask("/v1/asking", { session: sessionID, folder: directory }, AT_ONCE_MS)
    }),
    dispose: guarded("dispose", LEAVING_MS, async () => {
      sessions.ended()
      await Promise.all([daemon.flush(LEAVING_MS), reader.end()])
    }),
  }
}

export function whatIsSent(sessions: Sessions, reader: Reader): Hooks {
  const internal = [TITLES, "You are a context summarization agent"]
  return {
    // Our tools need no line in the user's configuration. A line of theirs counts, one of ours is completed.
    config: guarded("config", PROMPT_MS, async (config) => {
      internal.push(...["title", "summary", "compaction"].flatMap((name) => config.agent?.[name]?.prompt || []))
      const [provider, ...model] = config.small_model?.split("/") ?? []
      reader.knows(provider, model.join("/"))
      const { mcp } = await commands()
      config.mcp ??= {}
      const command = [...(mcp ?? []), "--folder", sessions.directory]
      if (mcp?.length && isWritten(config.mcp[OURS])) config.mcp[OURS] = { ...config.mcp[OURS], type: "local", command }
    }),
    "experimental.chat.messages.transform": guarded("messages.transform", REQUEST_MS, async (_, { messages }) => {
      if (reader.isOwn(messages.at(-1)?.info.sessionID)) return
      const blocks = await sessions.carried(messages, Date.now() + REQUEST_MS - SLACK_MS)
      for (const message of messages as Message[]) {
        const parts = message.parts.map((part) => withBlock(part, blocks))
        message.parts = [...parts, ...partsOf(message.info, blocks.get(message.info.id))]
      }
    }),
    // The host's own calls (a title, a summary) are no conversation: their system prompt carries nothing of ours.
    "experimental.chat.system.transform": guarded("system", REQUEST_MS, async ({ sessionID, model }, { system }) => {
      if (reader.isOwn(sessionID)) return reader.system(system)
      if (system[0]?.startsWith(TITLES)) reader.knows(model?.providerID, model?.id)
      if (!sessionID || internal.some((opening) => system[0]?.startsWith(opening))) return
      sessions.of(sessionID).about.window = model?.limit?.context
      const block = await sessions.system(sessionID)
      reader.begins()
      if (block) system.push(block) // never put first: the host's own prompt is the first thing that a provider caches
    }),
    "chat.params": guarded("params", PROMPT_MS, ({ sessionID }, output) => {
      if (reader.isOwn(sessionID)) reader.params(output)
    }),
    "experimental.session.compacting": guarded("compacting", PROMPT_MS, async ({ sessionID }, { context }) => {
      const block = text((await sessions.ask(sessionID, { hook: "session.compacting" }))?.block)
      if (block) context.push(block)
    }),
  }
}

/** By nobody, or by `recollect install`: a name on a path that may be another one here. */
function isWritten(entry: Json = { command: ["recollect", "mcp"] }): boolean {
  return entry.enabled !== false && /(^|\/)recollect mcp$/.test([entry.command].flat().join(" "))
}

const isOurs = ({ tool }: Json): boolean => tool.startsWith(`${OURS}_`)

/** On a copy: what the host keeps stays as it is. */
function withBlock(part: Json, blocks: Map<string, string>): Json {
  const block = isFailed(part) && blocks.get(nameOf(part))
  if (!block) return part
  const field = part.state.status === "error" ? "error" : "output"
  return { ...part, state: { ...part.state, [field]: `${part.state[field]}\n${block}` } }
}

function partsOf({ id, sessionID }: Json, text: string | undefined): Json[] {
  return text ? [{ id: `${id}-recollect`, sessionID, messageID: id, type: "text", text, synthetic: true }] : []
}
