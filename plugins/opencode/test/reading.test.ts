/** One question per session to the client's own small model, where the daemon says that one is due. */
import { expect, test } from "bun:test"
import { type Client, type Json, Stage, took, until, user } from "./stage.ts"

const QUESTION = { id: "q1", session: "ses_before", system: "You read.", text: "What lasts?", answer_tokens: 1000 }
const TITLE = "You are a title generator. You output ONLY a thread title."

/** A client that can be asked, as the real one answers. */
class Asked extends Stage {
  readonly prompts: Json[] = []
  readonly kept = new Map<string, Json>()
  client_: Client | undefined
  answer: () => Promise<Json> = async () => ({ info: { tokens: { total: 712 } }, parts: [{ type: "text", text: "[]" }] })
  readonly asking = {
    ...this.client,
    session: {
      create: async ({ body }: Json) => {
        const data = { id: "ses_question", time: { created: Date.now() }, ...body }
        this.kept.set(data.id, data)
        await this.client_?.event("session.created", { info: data })
        return { data }
      },
      list: async () => ({ data: [...this.kept.values()] }),
      delete: async ({ path }: Json) => void this.kept.delete(path.id),
      prompt: async ({ path, body }: Json) => {
        const message = user(path.id, body.parts)
        await this.client_?.call("chat.message", {}, { message: message.info, parts: message.parts })
        const sent = await this.client_!.request(path.id, [message], `${TITLE}\nand much more`)
        const params: Json = { maxOutputTokens: 32_000, options: { reasoningEffort: "medium" } }
        await this.client_?.call("chat.params", { sessionID: path.id }, params)
        this.prompts.push({ ...body, sent, params })
        const data = await this.answer()
        await this.client_?.event("session.idle", { sessionID: path.id })
        return { data }
      },
    },
  }

  /** As a client left it that was killed, or as another one has it just now. */
  leave(id: string, title: string, about: Json = { parentID: "ses_before" }, created = Date.now()): void {
    this.kept.set(id, { id, title, time: { created }, ...about })
  }

  async begin(due: () => Json, config: Json = { small_model: "fake/small/one" }): Promise<Client> {
    this.daemon.answers = { "/v1/question": due }
    this.daemon.listen()
    this.client_ = await this.load(this.asking)
    await this.client_.call("config", config)
    return this.client_
  }

  async turn(client: Client, id: string): Promise<void> {
    await client.request(id, [await client.prompt(id, "Fix it.")])
  }
}

const once = () => {
  const due = [QUESTION]
  return () => due.shift() ?? {}
}

test("what is due is asked of the small model, bare and bounded, and nothing is left of it", async () => {
  const stage = new Asked()
  const client = await stage.begin(once())
  const id = await client.session()
  await stage.turn(client, id)
  await until(() => stage.daemon.of("/v1/answer").length === 1, "the answer is brought")
  expect(stage.daemon.of("/v1/answer")[0]).toEqual({ id: "q1", folder: stage.directory, text: "[]", tokens: 712 })
  const [{ model, tools, sent, params }] = stage.prompts as [Json]
  expect([model, tools]).toEqual([{ providerID: "fake", modelID: "small/one" }, { "*": false }])
  expect(sent.system).toEqual([QUESTION.system])
  expect(sent.messages[0].parts).toHaveLength(1)
  expect(params).toEqual({ maxOutputTokens: 1000, options: { reasoningEffort: "low" } })
  await until(() => stage.kept.size === 0, "its session is gone")
  const told = stage.daemon.asked.filter(({ body }) => body.sessionID === "ses_question")
  expect(told).toEqual([])
})

test("without a setting, the small model is the one that the client takes for a title", async () => {
  const stage = new Asked()
  const client = await stage.begin(once(), {})
  const id = await client.session()
  await stage.turn(client, id)
  expect(stage.daemon.of("/v1/question")).toEqual([])
  const model = { id: "nano", providerID: "fake", limit: { context: 9 } }
  await client.call("experimental.chat.system.transform", { sessionID: id, model }, { system: [TITLE] })
  await client.event("session.idle", { sessionID: id })
  await until(() => stage.prompts.length === 1, "it is asked")
  expect(stage.prompts[0]!.model).toEqual({ providerID: "fake", modelID: "nano" })
})

test("where nothing is due, the client is not asked; when it is to wait, it waits", async () => {
  const stage = new Asked()
  const due: Json[] = [{}, { wait_ms: 50 }, QUESTION]
  const client = await stage.begin(() => due.shift() ?? {})
  const id = await client.session()
  await stage.turn(client, id)
  await until(() => stage.daemon.of("/v1/question").length === 1, "it has looked")
  await client.event("session.idle", { sessionID: id })
  expect(stage.prompts).toEqual([])
  await until(() => stage.prompts.length === 1, "it is asked later")
})

test("a client that fails or hangs loses the question alone, and its end is not held up", async () => {
  const stage = new Asked()
  stage.answer = () => Promise.reject(new Error("no such model"))
  const client = await stage.begin(once())
  await stage.turn(client, await client.session())
  await until(() => stage.log.includes("no such model"), "it is noted")
  expect(stage.kept.size).toBe(0)
  stage.answer = () => new Promise(() => undefined)
  stage.daemon.answers["/v1/question"] = () => QUESTION
  await Bun.sleep(50) // it is done with the first
  await client.event("session.idle", { sessionID: "ses_other" })
  await until(() => stage.prompts.length === 2, "it is asked")
  expect(await took(client.call("dispose"))).toBeLessThan(500)
  expect(stage.daemon.of("/v1/answer")).toEqual([])
})

test("what a client left behind that was killed is removed at the next start, and nothing else", async () => {
  const stage = new Asked()
  const title = "Recollect's question of process"
  const ended = Bun.spawn(["true"])
  await ended.exited
  stage.leave("left", `${title} ${ended.pid}`)
  stage.leave("long ago", `${title} ${process.pid}`, undefined, Date.now() - 3_600_000)
  stage.leave("under way", `${title} ${process.pid}`)
  stage.leave("the user's", `${title} ${ended.pid}`, {})
  stage.leave("a subagent's", "Look for the pager")
  const client = await stage.begin(() => ({}))
  await stage.turn(client, await client.session())
  await until(() => !stage.kept.has("left") && !stage.kept.has("long ago"), "they are gone")
  expect([...stage.kept.keys()]).toEqual(["under way", "the user's", "a subagent's"])
})

test("a client that ends asks nothing more", async () => {
  const stage = new Asked()
  const client = await stage.begin(once())
  stage.daemon.hang("/v1/question")
  await stage.turn(client, await client.session())
  await until(() => stage.daemon.of("/v1/question").length === 1, "it has looked")
  await client.call("dispose")
  stage.daemon.letGo()
  await client.event("session.idle", { sessionID: "ses_other" })
  await Bun.sleep(100)
  expect([stage.prompts, stage.daemon.of("/v1/question").length]).toEqual([[], 1])
})

test("a session that falls idle during a question is looked at after it", async () => {
  const stage = new Asked()
  const { promise, resolve } = Promise.withResolvers<Json>()
  stage.answer = () => promise
  const client = await stage.begin(once())
  const id = await client.session()
  await stage.turn(client, id)
  await until(() => stage.prompts.length === 1, "it is asked")
  expect(stage.daemon.of("/v1/question")[0]!.working).toEqual([id])
  await client.event("session.idle", { sessionID: id })
  resolve({ info: {}, parts: [{ type: "text", text: "[]" }] })
  await until(() => stage.daemon.of("/v1/question").length === 2, "it looks again")
  expect(stage.daemon.of("/v1/question")[1]).toEqual({ folder: stage.directory, session: id, working: [], client: process.pid })
})

test("a daemon that only starts is waited for", async () => {
  const stage = new Asked()
  const client = await stage.begin(once())
  await stage.daemon.stop()
  await stage.turn(client, await client.session())
  await Bun.sleep(200) // it has looked in vain
  stage.daemon.listen()
  await until(() => stage.prompts.length === 1, "it is asked")
})
