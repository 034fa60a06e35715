/** First sent is final: what a message went out with, it goes out with for ever, with or without the daemon. */
import { expect, test } from "bun:test"
import { assistant, BLOCKS, carried, expectBare, failed, playing, Stage, until, user } from "./stage.ts"

test("the start block is in the system prompt, behind the client's own, and a turn's block on its prompt", async () => {
  const { client } = await playing()
  const session = await client.session()
  const prompt = await client.prompt(session, "How do we deploy?")
  const sent = await client.request(session, [prompt])
  expect(carried(sent)).toEqual({ system: ["<start>"], messages: [[`<turn ${prompt.info.id}>`]] })
  expect(sent.messages[0]?.parts[0]).toEqual(prompt.parts[0])
})

test("a part of ours is a text that the client may send and knows as not typed", async () => {
  const { client } = await playing()
  const session = await client.session()
  const prompt = await client.prompt(session, "How do we deploy?")
  const sent = await client.request(session, [prompt])
  const { id, ...part } = sent.messages[0]?.parts[1] ?? {}
  const { id: messageID } = prompt.info
  expect(part).toEqual({ sessionID: session, messageID, type: "text", text: `<turn ${messageID}>`, synthetic: true })
  expect(id).toBeString()
})

test("later requests send the same bytes again without asking, also when the daemon is gone", async () => {
  const { client, daemon } = await playing()
  const session = await client.session()
  const first = await client.prompt(session, "How do we deploy?")
  const before = await client.request(session, [first])
  await daemon.stop()
  const asked = daemon.asked.length
  const reply = assistant(session, [{ type: "text", text: "With Helm." }])
  const after = await client.request(session, [first, reply])
  expect(after.system).toEqual(before.system)
  expect(after.messages[0]).toEqual(before.messages[0]!)
  expect(daemon.asked.length).toBe(asked)
})

test("what went out bare stays bare when the daemon is back", async () => {
  const stage = new Stage()
  const client = await stage.load()
  const session = await client.session()
  const first = await client.prompt(session, "How do we deploy?")
  expectBare(await client.request(session, [first]), [first])
  stage.daemon.answers = { ...BLOCKS }
  stage.daemon.listen()
  const second = await client.prompt(session, "And the database?")
  const sent = await client.request(session, [first, second])
  expect(carried(sent)).toEqual({ system: [], messages: [[], [`<turn ${second.info.id}>`]] })
})

test("an answer that came too late is not shown later, and never counted as sent", async () => {
  const { client, daemon } = await playing()
  const session = await client.session()
  const first = await client.prompt(session, "Hello?")
  await client.request(session, [first])
  daemon.hang("chat.message", "tool")
  const second = await client.prompt(session, "How do we deploy?")
  const late = await client.request(session, [first, second])
  daemon.letGo()
  const reply = assistant(session, [{ type: "text", text: "With Helm." }])
  const after = await client.request(session, [first, second, reply])
  expect(carried(late).messages).toEqual([[`<turn ${first.info.id}>`], []])
  expect(after.messages.slice(0, 2)).toEqual(late.messages)
  expect(daemon.of("/v1/sent").map(({ messages }) => messages)).toEqual([[first.info.id]])
})

test("a session of an earlier process is replayed from the daemon's log, its tools included", async () => {
  const { client, daemon } = await playing()
  const session = "ses_of_yesterday"
  const first = user(session, "How do we deploy?")
  const reply = assistant(session)
  reply.parts.push(failed(reply, "File not found"), { type: "text", text: "Hm." })
  const call = reply.parts[0]?.callID as string
  daemon.answers["/v1/replay"] = () => ({
    blocks: { [first.info.id]: "<turn of yesterday>", [`${reply.info.id}/${call}`]: "<fix of yesterday>" },
  })
  const second = await client.prompt(session, "And the database?")
  const sent = await client.request(session, [first, reply, second])
  expect(carried(sent).messages).toEqual([
    ["<turn of yesterday>"],
    ["<fix of yesterday>"],
    [`<turn ${second.info.id}>`],
  ])
  expect(daemon.of("/v1/replay")).toHaveLength(1)
  expect(await client.request(session, [first, reply, second])).toEqual(sent)
  expect(daemon.of("/v1/replay")).toHaveLength(1)
})

test("the first request of a session that goes on here tells what it begins with, so that a fork is known", async () => {
  const { client, daemon } = await playing()
  const session = await client.session({ title: "t (fork #1)" })
  const first = user(session, "How do we deploy?")
  const reply = assistant(session)
  reply.parts.push(failed(reply, "File not found"))
  const second = await client.prompt(session, "And the database?")
  await client.request(session, [first, reply, second])
  const [start] = daemon.of("session.start")
  const part = reply.parts[0]!
  expect(start?.messages).toEqual([
    { id: first.info.id, at: first.info.time.created, calls: [] },
    { id: reply.info.id, at: reply.info.time.created, calls: [{ id: part.callID, at: part.state.time.end }] },
  ])
})

test("a prompt tells what is live: the start, and each message that carries a block", async () => {
  const { client, daemon } = await playing()
  const session = await client.session()
  const first = await client.prompt(session, "How do we deploy?")
  await client.request(session, [first])
  const second = await client.prompt(session, "And the database?")
  await client.request(session, [first, second])
  expect(daemon.of("chat.message").map(({ live }) => live)).toEqual([["start"], ["start", first.info.id]])
})

test("a prompt that was taken back is not live any more", async () => {
  const { client, daemon } = await playing()
  const session = await client.session()
  await client.request(session, [await client.prompt(session, "How do we deploy?")])
  const again = await client.prompt(session, "How do we deploy?")
  await client.request(session, [again])
  expect(daemon.of("chat.message").at(-1)?.live).toEqual(["start"])
})

test("a block counts as sent only once that is said, and it is said", async () => {
  const { client, daemon } = await playing()
  const session = await client.session()
  const prompt = await client.prompt(session, "How do we deploy?")
  await client.request(session, [prompt])
  await until(() => daemon.of("/v1/sent").length > 0, "it is said")
  expect(daemon.of("/v1/sent")).toEqual([{ session, messages: [prompt.info.id] }])
})

test("a prompt that the client sends again under another id is asked for like a new one", async () => {
  const { client } = await playing()
  const session = await client.session()
  const first = await client.prompt(session, "How do we deploy?")
  await client.request(session, [first])
  const repeated = user(session, "How do we deploy?")
  const sent = await client.request(session, [repeated])
  expect(carried(sent).messages).toEqual([[`<turn ${repeated.info.id}>`]])
})

test("the client's own calls carry nothing of ours", async () => {
  const { client, stage } = await playing()
  stage.command(["recollect-daemon"])
  const config = { agent: { compaction: { prompt: "Sum it up, please." } } }
  await client.call("config", config)
  const session = await client.session()
  for (const opening of ["You are a title generator. You output", "You are a context summarization agent"]) {
    const title = { system: [opening] }
    await client.call("experimental.chat.system.transform", { sessionID: session }, title)
    expect(title.system).toEqual([opening])
  }
  await client.request(session, [await client.prompt(session, "Hello?")])
  const own = { system: ["Sum it up, please.\nMore of it."] }
  await client.call("experimental.chat.system.transform", { sessionID: session }, own)
  expect(own.system).toHaveLength(1)
  const nobody = { system: ["You write agents."] }
  await client.call("experimental.chat.system.transform", {}, nobody)
  expect(nobody.system).toHaveLength(1)
  expect(stage.log).toBe("")
})

test("with placement system the block is in the system prompt, and the newest one only", async () => {
  const { client, daemon } = await playing()
  daemon.answers["chat.message"] = ({ messageID }) => ({ block: `<anew ${messageID}>`, placement: "system" })
  const session = await client.session()
  const first = await client.prompt(session, "How do we deploy?")
  const one = await client.request(session, [first])
  const second = await client.prompt(session, "And the database?")
  const two = await client.request(session, [first, second])
  expect(carried(one)).toEqual({ system: [`<anew ${first.info.id}>`], messages: [[]] })
  expect(carried(two)).toEqual({ system: [`<anew ${second.info.id}>`], messages: [[], []] })
})
