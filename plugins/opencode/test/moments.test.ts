/** What happens in a session reaches the daemon, in order; what it answers rides where it belongs. */
import { describe, expect, test } from "bun:test"
import { assistant, BLOCKS, carried, failed, playing, Stage, until, user } from "./stage.ts"

const ERROR = { status: "error", input: { filePath: "/nowhere" }, error: "File not found: /nowhere" }
const EXIT = {
  status: "completed",
  input: { command: "make" },
  output: "boom\n",
  title: "make",
  metadata: { exit: 2, output: "boom\n" },
}
const DONE = {
  status: "completed",
  input: { command: "ls" },
  output: "README.md\n",
  title: "ls",
  metadata: { exit: 0 },
}

describe("a tool", () => {
  test("that failed carries what is known of it, on its own part and no other, once", async () => {
    const { client } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "Run it.")
    await client.request(session, [prompt])
    const reply = assistant(session)
    const missing = await client.tool(reply, ERROR, "read")
    await client.tool(reply, DONE)
    const broken = await client.tool(reply, EXIT)
    const sent = await client.request(session, [prompt, reply])
    const states = sent.messages[1]?.parts.map((part) => part.state)
    expect(states).toEqual([
      { ...missing.state, error: `${ERROR.error}\n<fix ${missing.callID}>` },
      { ...reply.parts[1]?.state },
      { ...broken.state, output: `boom\n\n<fix ${broken.callID}>` },
    ])
    expect(await client.request(session, [prompt, reply])).toEqual(sent)
  })

  test("is told with what it was asked and how it ended, and each only once", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "Run it.")
    await client.request(session, [prompt])
    const reply = assistant(session)
    for (const state of [ERROR, DONE, EXIT]) await client.tool(reply, state)
    await client.request(session, [prompt, reply])
    await client.event("session.idle", { sessionID: session })
    await until(() => daemon.of("tool").length >= 3, "all are told")
    const told = daemon
      .of("tool")
      .map(({ messageID, callID, tool, state, at }) => [messageID, callID, tool, state.status, at])
    expect(told).toEqual(
      reply.parts.map(({ callID, state }) => [reply.info.id, callID, "bash", state.status, state.time.end]),
    )
    expect(daemon.of("tool").map(({ state }) => state.metadata?.exit)).toEqual([undefined, 0, 2])
    expect(daemon.of("tool")[0]?.live).toContain(prompt.info.id)
  })

  test("that only turns up finished is the copy of an old one, and is not told again", async () => {
    const { client, daemon } = await playing()
    const session = await client.session({ title: "t (fork #1)" })
    const part = {
      id: "prt_copy",
      messageID: "msg_copy",
      sessionID: session,
      type: "tool",
      tool: "read",
      callID: "c",
      state: { ...ERROR, time: {} },
    }
    await client.event("message.part.updated", { sessionID: session, part })
    await client.request(session, [await client.prompt(session, "Hello?")])
    expect(daemon.of("tool")).toEqual([])
  })

  test("whose output the client has cleared carries nothing", async () => {
    const { client } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "Run it.")
    const reply = assistant(session)
    const part = await client.tool(reply, EXIT)
    part.state.time.compacted = 1
    const sent = await client.request(session, [prompt, reply])
    expect(sent.messages[1]?.parts).toEqual([part])
  })

  test("keeps what it went out with when the daemon has gone, and stays bare when it was not there", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "Run it.")
    const reply = assistant(session)
    await client.tool(reply, ERROR)
    const before = await client.request(session, [prompt, reply])
    await daemon.stop()
    const next = assistant(session)
    await client.tool(next, ERROR)
    const bare = await client.request(session, [prompt, reply, next])
    daemon.listen()
    const after = await client.request(session, [prompt, reply, next])
    expect(bare.messages.slice(0, 2)).toEqual(before.messages)
    expect(bare.messages[2]).toEqual(next)
    expect(after).toEqual(bare)
  })

  test("that is in a request before its end was told of carries what is known of it", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "Read it.")
    const reply = assistant(session)
    const part = failed(reply, "File not found")
    const running = { ...part, state: { status: "running", input: {} } }
    await client.event("message.part.updated", { sessionID: session, part: running })
    reply.parts.push(part)
    const sent = await client.request(session, [prompt, reply])
    await client.event("message.part.updated", { sessionID: session, part })
    expect(carried(sent).messages[1]).toEqual([`<fix ${part.callID}>`])
    expect(await client.request(session, [prompt, reply])).toEqual(sent)
    expect(daemon.of("tool")).toHaveLength(1)
  })

  test("is told without the files that it has changed", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const reply = assistant(session)
    await client.tool(reply, { ...EXIT, metadata: { exit: 1, files: "x".repeat(1000) } }, "bash")
    await until(() => daemon.of("tool").length > 0, "it is told")
    expect(daemon.of("tool")[0]?.state.metadata).toEqual({ exit: 1 })
  })

  test("of ours is told, and carries nothing", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "Look it up.")
    const reply = assistant(session)
    await client.tool(reply, ERROR, "recollect_search")
    const sent = await client.request(session, [prompt, reply])
    expect(carried(sent).messages[1]).toEqual([])
    expect(daemon.of("tool")).toHaveLength(1)
  })

  test("of the client's own history is left as it is", async () => {
    const { client } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "Run it.")
    const reply = assistant(session)
    await client.tool(reply, ERROR)
    const kept = structuredClone([prompt.parts, reply.parts])
    const parts = [prompt.parts, reply.parts]
    await client.call("experimental.chat.messages.transform", {}, { messages: [prompt, reply] })
    expect(parts).toEqual(kept)
  })

  test("of ours is announced with its session; those of others are not", async () => {
    const { client, daemon, stage } = await playing()
    await client.call(
      "tool.execute.before",
      { tool: "recollect_search", sessionID: "ses_a", callID: "c" },
      { args: {} },
    )
    await client.call("tool.execute.before", { tool: "bash", sessionID: "ses_a", callID: "d" }, { args: {} })
    expect(daemon.of("/v1/asking")).toEqual([{ session: "ses_a", folder: stage.directory }])
  })
})

describe("a prompt", () => {
  test("is told with who asks, where, when and what is with it", async () => {
    const { client, daemon, stage } = await playing()
    const session = await client.session({ parentID: "ses_parent" })
    const parts = [
      { type: "text", text: "What is in it?" },
      { type: "text", text: "Called the Read tool ...", synthetic: true },
      { type: "file", filename: "notes.md", mime: "text/plain", url: "file:///notes.md" },
    ]
    const prompt = await client.prompt(session, parts)
    await client.request(session, [prompt])
    const [asked] = daemon.of("chat.message")
    expect(asked).toMatchObject({
      sessionID: session,
      parentID: "ses_parent",
      directory: stage.directory,
      agent: "build",
      messageID: prompt.info.id,
      at: prompt.info.time.created,
    })
    expect(asked?.parts[0]).toMatchObject({ type: "text", text: "What is in it?" })
    expect(asked?.parts.at(-1)).toMatchObject({ type: "file", filename: "notes.md", mime: "text/plain" })
  })

  test("of a slash command is told with its name, and the next one without", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    await client.call("command.execute.before", { command: "review", sessionID: session, arguments: "" }, { parts: [] })
    const first = await client.prompt(session, "Review it, please.")
    await client.request(session, [first])
    await client.request(session, [first, await client.prompt(session, "Thanks.")])
    expect(daemon.of("chat.message").map(({ command }) => command)).toEqual(["review", undefined])
  })

  test("of a plan is told as one", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "How would we?")
    prompt.info.agent = "plan"
    await client.call(
      "chat.message",
      { sessionID: session, agent: "plan" },
      { message: prompt.info, parts: prompt.parts },
    )
    await client.request(session, [prompt])
    expect(daemon.of("chat.message").at(-1)?.agent).toBe("plan")
  })
})

describe("a reply", () => {
  test("is told when it is complete, its texts in one, and whether it was the last", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    await client.request(session, [prompt])
    const [one, two] = [assistant(session), assistant(session)]
    await client.says(one, "I look.", "tool-calls")
    await client.call(
      "experimental.text.complete",
      { sessionID: session, messageID: two.info.id, partID: "p" },
      { text: "With" },
    )
    await client.says(two, "Helm.")
    await until(() => daemon.of("reply").length === 2, "both are told")
    expect(daemon.of("reply").map(({ messageID, text, final }) => [messageID, text, final])).toEqual([
      [one.info.id, "I look.", false],
      [two.info.id, "With\n\nHelm.", true],
    ])
  })

  test("that is completed twice is told once; one that was not heard here is not told", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const reply = assistant(session)
    await client.says(reply, "Done.")
    const again = { ...reply.info, finish: "stop", time: { created: 1, completed: 2 } }
    await client.event("message.updated", { sessionID: session, info: again })
    await client.event("message.updated", { sessionID: session, info: { ...again, id: "msg_copy" } })
    await client.request(session, [await client.prompt(session, "Thanks.")])
    expect(daemon.of("reply")).toHaveLength(1)
  })
})

describe("notes", () => {
  test("that nobody took are kept and told later, in order, before what is asked next", async () => {
    const stage = new Stage()
    stage.daemon.answers = { ...BLOCKS }
    const client = await stage.load()
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    await client.request(session, [prompt])
    const reply = assistant(session)
    await client.tool(reply, DONE)
    await client.says(reply, "With Helm.")
    stage.daemon.listen()
    await client.request(session, [prompt, reply, await client.prompt(session, "And the database?")])
    const names = stage.daemon.names.filter((name) => ["chat.message", "tool", "reply"].includes(name))
    expect(names).toEqual(["chat.message", "tool", "reply", "chat.message"])
    expect(stage.daemon.of("chat.message").map(({ messageID }) => messageID)[0]).toBe(prompt.info.id)
  })

  test("are told on the way out, with the end of each session", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    await client.request(session, [await client.prompt(session, "Hello?")])
    await client.session() // of which nothing was ever sent
    await client.says(assistant(session), "Done.")
    await client.call("dispose")
    await until(() => daemon.of("session.ended").length > 0, "the end is told")
    expect(daemon.of("session.ended").map(({ sessionID }) => sessionID)).toEqual([session])
    expect(daemon.names.indexOf("reply")).toBeLessThan(daemon.names.indexOf("session.ended"))
  })

  test("do not grow for ever: the newest are kept", async () => {
    const stage = new Stage()
    const client = await stage.load()
    const session = await client.session()
    for (let number = 0; number < 700; number++) await client.says(assistant(session), `Reply ${number}.`)
    await client.call("dispose") // also a bounded wait for what is still being tried
    stage.daemon.listen()
    await client.event("session.idle", { sessionID: session })
    await until(() => stage.daemon.of("reply").some(({ text }) => text === "Reply 699."), "the newest is told")
    expect(stage.daemon.of("reply").length).toBeWithin(400, 501)
  })
})

describe("compaction", () => {
  test("has our lines in the summary's prompt, tells the summary, and begins with a new start block", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const first = await client.prompt(session, "How do we deploy?")
    await client.request(session, [first])
    const output = { context: ["theirs"] }
    await client.call("experimental.session.compacting", { sessionID: session }, output)
    expect(output.context).toEqual(["theirs", "<keep>"])
    await client.says(assistant(session), "It was about Helm.", "stop", { summary: true })
    daemon.answers["session.start"] = ({ source }) => ({ block: `<start ${source}>`, placement: "message" })
    await client.event("session.compacted", { sessionID: session })
    const second = await client.prompt(session, "How do we deploy?")
    const sent = await client.request(session, [second])
    expect(carried(sent)).toEqual({ system: ["<start compact>"], messages: [[`<turn ${second.info.id}>`]] })
    expect(daemon.of("session.compacted").map(({ summary }) => summary)).toEqual(["It was about Helm."])
    expect(daemon.of("reply")).toEqual([])
    expect(daemon.of("chat.message").at(-1)?.live).toEqual(["start"])
    expect(await client.request(session, [second])).toEqual(sent)
  })

  test("brings its new start block also where all is in the system prompt", async () => {
    const anew = () => ({ block: "<anew>", placement: "system" })
    const { client, daemon } = await playing({ ...BLOCKS, "chat.message": anew })
    const session = await client.session()
    await client.request(session, [await client.prompt(session, "Hello?")])
    daemon.answers["session.start"] = () => ({ block: "<start 2>", placement: "message" })
    await client.event("session.compacted", { sessionID: session })
    const goOn = user(session, [{ type: "text", text: "Continue", synthetic: true }])
    expect(carried(await client.request(session, [goOn])).system).toEqual(["<start 2>"])
  })

  test("without the daemon keeps the start block that was there", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    await client.request(session, [await client.prompt(session, "How do we deploy?")])
    await daemon.stop()
    await client.event("session.compacted", { sessionID: session })
    const sent = await client.request(session, [await client.prompt(session, "And now?")])
    expect(sent.system.slice(1)).toEqual(["<start>"])
  })
})

describe("a session", () => {
  test("begins with what its agent needs", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    await client.request(session, [await client.prompt(session, "How do we deploy?")])
    expect(daemon.of("session.start").map(({ agent }) => agent)).toEqual(["build"])
  })

  test("that is deleted is told, and forgotten here", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    await client.request(session, [prompt])
    await client.event("session.deleted", { sessionID: session, info: { id: session } })
    await until(() => daemon.of("session.deleted").length === 1, "it is told")
    expect(daemon.of("session.deleted")[0]).toMatchObject({ sessionID: session })
    daemon.answers = {}
    expect(carried(await client.request(session, [prompt])).system).toEqual([]) // nothing is left of it
  })

  test("of long ago is forgotten here, and looked up again", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    await client.request(session, [prompt])
    for (let number = 0; number < 310; number++)
      await client.call("command.execute.before", { command: "c", sessionID: `ses_other_${number}` })
    expect(daemon.of("/v1/replay")).toEqual([])
    const second = await client.prompt(session, "And the database?")
    await client.request(session, [prompt, second])
    expect(daemon.of("/v1/replay").map(({ messages }) => messages)).toEqual([[prompt.info.id]])
  })

  test("sends the size of the model's window once it is known", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const first = await client.prompt(session, "Hello?")
    await client.request(session, [first])
    await client.request(session, [first, await client.prompt(session, "How do we deploy?")])
    expect(daemon.of("chat.message").at(-1)?.window).toBe(30_000)
  })

  test("and its neighbour never mix", async () => {
    const { client, daemon } = await playing()
    const [one, two] = [await client.session(), await client.session()]
    const prompts = await Promise.all([client.prompt(one, "Helm?"), client.prompt(two, "Postgres?")])
    const sent = await Promise.all([client.request(one, [prompts[0]]), client.request(two, [prompts[1]])])
    expect(sent.map((request) => carried(request).messages)).toEqual(prompts.map(({ info }) => [[`<turn ${info.id}>`]]))
    expect(
      daemon
        .of("chat.message")
        .map(({ sessionID }) => sessionID)
        .sort(),
    ).toEqual([one, two].sort())
  })
})
