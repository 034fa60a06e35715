/** The client's part, as the real one plays it: order and shapes as recorded from it. */
import type { Hooks } from "@opencode-ai/plugin"

export type Json = Record<string, any>
export type Part = Json
export type Message = { info: Json; parts: Part[] }
export type Sent = { system: string[]; messages: Message[] }

const MODEL = { id: "tiny", limit: { context: 30_000, output: 2_000 } }
const SYSTEM = "You are opencode, an interactive CLI tool that helps."
let clock = 1_794_853_000_000
let number = 0

export class Client {
  constructor(readonly hooks: Hooks) {}

  /** Any hook with anything, as it may never throw. */
  call(name: string, ...args: unknown[]): Promise<void> {
    const hook = (this.hooks as Json)[name] as (...args: unknown[]) => Promise<void>
    return hook(...args)
  }

  event(type: string, properties: Json): Promise<void> {
    return this.call("event", { event: { type, properties } })
  }

  async session(info: Json = {}): Promise<string> {
    const id = `ses_${++number}`
    await this.event("session.created", { sessionID: id, info: { id, title: "t", ...info } })
    return id
  }

  async prompt(session: string, text: string | Part[], agent = "build"): Promise<Message> {
    const message = user(session, text)
    await this.call(
      "chat.message",
      { sessionID: session, agent, model: { providerID: "fake", modelID: "tiny" } },
      { message: message.info, parts: message.parts },
    )
    return message
  }

  /** One request to the model: what it carries after the plugin had it. The history itself stays as it is. */
  async request(session: string, history: Message[], system = SYSTEM): Promise<Sent> {
    const messages = { messages: structuredClone(history) }
    const prompts = { system: [system] }
    await this.call("experimental.chat.messages.transform", {}, messages)
    await this.call("experimental.chat.system.transform", { sessionID: session, model: MODEL }, prompts)
    return { system: prompts.system, messages: messages.messages }
  }

  /** A tool of the model's message runs and ends; its part, as the history has it afterwards. */
  async tool(message: Message, state: Json, tool = "bash"): Promise<Part> {
    const { id: messageID, sessionID } = message.info
    const part = { id: `prt_${++number}`, messageID, sessionID, type: "tool", tool, callID: `call_${number}` }
    const running = { status: "running", input: state.input ?? {}, time: { start: ++clock } }
    const ended = { ...running, ...state, time: { start: clock, end: ++clock } }
    await this.event("message.part.updated", { sessionID, part: { ...part, state: running } })
    await this.event("message.part.updated", { sessionID, part: { ...part, state: ended } })
    const last = { ...part, state: ended }
    message.parts.push(last)
    return last
  }

  /** The model's message is complete. */
  async says(message: Message, text: string, finish = "stop", more: Json = {}): Promise<void> {
    const { id: messageID, sessionID } = message.info
    await this.call("experimental.text.complete", { sessionID, messageID, partID: `prt_${++number}` }, { text })
    message.parts.push({ id: `prt_${number}`, type: "text", text, messageID, sessionID })
    const info = { ...message.info, finish, time: { ...message.info.time, completed: ++clock }, ...more }
    await this.event("message.updated", { sessionID, info })
  }
}

export function user(sessionID: string, text: string | Part[]): Message {
  const id = `msg_${++number}`
  const parts = typeof text === "string" ? [{ type: "text", text }] : text
  return {
    info: { id, sessionID, role: "user", agent: "build", time: { created: ++clock } },
    parts: parts.map((part) => ({ id: `prt_${++number}`, messageID: id, sessionID, ...part })),
  }
}

export function assistant(sessionID: string, parts: Part[] = []): Message {
  return {
    info: { id: `msg_${++number}`, sessionID, role: "assistant", agent: "build", time: { created: ++clock } },
    parts,
  }
}

export function failed(message: Message, error: string): Part {
  return {
    id: `prt_${++number}`,
    messageID: message.info.id,
    sessionID: message.info.sessionID,
    type: "tool",
    tool: "read",
    callID: `call_${number}`,
    state: { status: "error", input: {}, error, time: { start: ++clock, end: ++clock } },
  }
}
