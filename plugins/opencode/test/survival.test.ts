/** Whatever comes in, whatever the daemon does: no handler throws, prints, or waits longer than it may. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  type Answer,
  assistant,
  BLOCKS,
  carried,
  type Client,
  expectBare,
  MARGIN_MS,
  playing,
  PROMPT_MS,
  Stage,
  START_MS,
  took,
  until,
} from "./stage.ts"

const HUGE = "x".repeat(2_000_000)

/** What no client should say. */
const NONSENSE: unknown[] = [
  undefined,
  null,
  0,
  7,
  true,
  "",
  "text",
  [],
  {},
  Symbol("s"),
  () => undefined,
  new Proxy({}, { get: refuse }),
  { event: null },
  { event: {} },
  { event: { type: 5, properties: 5 } },
  { event: { type: "session.created" } },
  ...[
    "session.created",
    "session.deleted",
    "session.compacted",
    "session.idle",
    "message.updated",
    "message.part.updated",
  ].flatMap((type) => [
    { event: { type, properties: null } },
    { event: { type, properties: {} } },
    { event: { type, properties: { sessionID: 5, info: null, part: null } } },
    { event: { type, properties: { sessionID: "s", info: {}, part: {} } } },
    {
      event: {
        type,
        properties: { sessionID: "s", info: { id: "s", role: "assistant", time: null }, part: { type: "tool" } },
      },
    },
    {
      event: {
        type,
        properties: { sessionID: "s", info: { id: [], title: 5 }, part: { type: "tool", state: 5, id: {} } },
      },
    },
    {
      event: {
        type,
        properties: {
          sessionID: HUGE,
          info: { id: HUGE, title: HUGE },
          part: { type: "tool", id: "p", state: { status: "error", error: HUGE } },
        },
      },
    },
  ]),
  { sessionID: "s" },
  { sessionID: 5, model: 5 },
  { sessionID: "s", messageID: "m", callID: "c", tool: 5 },
  { tool: "recollect_search", sessionID: "s" },
  { message: { id: "m" }, parts: null },
  { message: null, parts: [] },
  {
    message: { id: "m", time: "noon" },
    parts: [null, 5, {}, { type: "text" }, { type: "text", text: 5 }, { type: "file" }],
  },
  {
    message: { id: "h" },
    parts: [
      { type: "text", text: HUGE },
      { type: "file", url: `data:image/png;base64,${HUGE}` },
    ],
  },
  { messages: null },
  { messages: [] },
  { messages: [null] },
  { messages: [{}] },
  { messages: [{ info: {}, parts: null }] },
  { messages: [{ info: { role: "user" }, parts: [] }] },
  { messages: [{ info: { id: 5, role: "user", sessionID: {} }, parts: [null] }] },
  {
    messages: [
      {
        info: { id: "m", role: "assistant", sessionID: "s" },
        parts: [{ type: "tool" }, { type: "tool", state: { status: "error" } }],
      },
    ],
  },
  {
    messages: Object.freeze([
      Object.freeze({ info: { id: "f", role: "user", sessionID: "s" }, parts: Object.freeze([]) }),
    ]),
  },
  { system: null },
  { system: [] },
  { system: [null] },
  { system: Object.freeze(["frozen"]) },
  { context: null },
  { text: 5 },
  { agent: { title: 5 }, mcp: 5 },
  { mcp: null },
  Object.freeze({ mcp: Object.freeze({}) }),
]

function refuse(): never {
  throw new Error("nobody may look at this")
}

describe("whatever comes in", () => {
  test("no handler throws", async () => {
    const { stage, client } = await playing()
    stage.command(["true"], ["recollect", "mcp"])
    const handlers = Object.keys(client.hooks).filter((name) => name !== "dispose")
    expect(handlers.length).toBeGreaterThan(8)
    for (const name of handlers) {
      await client.call(name)
      for (const one of NONSENSE)
        await Promise.all([client.call(name, one), client.call(name, {}, one), client.call(name, one, one)])
    }
    await client.call("dispose")
  })

  test("a session after such nonsense is as any other", async () => {
    const { client } = await playing()
    for (const name of Object.keys(client.hooks))
      for (const one of NONSENSE.slice(0, 20)) await client.call(name, one, one)
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    const sent = await client.request(session, [prompt])
    expect(carried(sent)).toEqual({ system: ["<start>"], messages: [[`<turn ${prompt.info.id}>`]] })
  })

  test("the daemon is not sent more of a text than it may need, and no pictures", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const parts = [
      { type: "text", text: `begin ${HUGE} end` },
      { type: "file", mime: "image/png", url: `data:image/png;base64,${HUGE}` },
    ]
    await client.request(session, [await client.prompt(session, parts)])
    const [asked] = daemon.of("chat.message")
    expect(JSON.stringify(asked).length).toBeLessThan(200_000)
    expect(asked?.parts[0].text).toStartWith("begin ")
  })

  test("nothing is printed, and the process ends by itself", async () => {
    const stage = new Stage()
    stage.daemon.answers = { ...BLOCKS }
    stage.daemon.listen()
    const child = Bun.spawn([process.execPath, "run", join(import.meta.dir, "noise.ts")], {
      env: { ...process.env, BUN_BE_BUN: "1" },
      stdout: "pipe",
      stderr: "pipe",
    })
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    expect({ out, err, code }).toEqual({ out: "", err: "", code: 0 })
    expect(stage.daemon.names).toContain("chat.message")
  })
})

describe("whatever the daemon answers", () => {
  const answers: [string, () => Answer][] = [
    ["no JSON", () => new Response("<html>no</html>")],
    ["nothing", () => new Response("")],
    ["null", () => new Response("null")],
    ["a list", () => new Response("[1]")],
    ["a number", () => new Response("5")],
    ["bytes", () => new Response(new Uint8Array([0xff, 0xfe, 0]))],
    ["an error", () => Response.json({ error: { message: "no" } }, { status: 500 })],
    ["an error with a block", () => Response.json({ block: "<turn>" }, { status: 400 })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "http://localhost/v1/status" } })],
    ["a block that is no text", () => ({ block: { type: "text" }, placement: 5, notice: 5, blocks: 5 })],
    ["a block of 5 MB", () => ({ block: "x".repeat(5_000_000), placement: "message" })],
    ["5 MB of something else", () => ({ more: "x".repeat(5_000_000) })],
    ["5 MB without an end", () => new Response("[".repeat(5_000_000))],
  ]
  test.each(answers)("%s is nothing: the request goes out as it was", async (_, answer) => {
    const { client } = await playing({ "*": answer })
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    const reply = assistant(session)
    await client.tool(reply, { status: "error", error: "File not found" }, "read")
    const history = [prompt, reply]
    expectBare(await client.request(session, history), history)
    const output = { context: [] }
    await client.call("experimental.session.compacting", { sessionID: session }, output)
    expect(output.context).toEqual([])
  })

  test("a hung one costs a bounded delay, and nothing while it is left alone", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const first = await client.prompt(session, "Hello?")
    await client.request(session, [first])
    daemon.hang()
    const second = await client.prompt(session, "How do we deploy?")
    const history = [first, second]
    expect(await took(client.request(session, history))).toBeLessThan(PROMPT_MS + MARGIN_MS)
    const asked = daemon.asked.length
    const third = await client.prompt(session, "And the database?")
    const sent = await client.request(session, [...history, third])
    expect(carried(sent).messages).toEqual([[`<turn ${first.info.id}>`], [], []])
    expect(daemon.asked.length).toBe(asked) // quiet
  })

  test("one that was late once is asked for the start of the next session, and then for everything", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const first = await client.prompt(session, "Hello?")
    await client.request(session, [first])
    daemon.hang()
    const late = await client.prompt(session, "How do we deploy?")
    await client.request(session, [first, late])
    daemon.goOn()
    const other = await client.session()
    const prompt = await client.prompt(other, "And the database?")
    const sent = await client.request(other, [prompt])
    expect(carried(sent)).toEqual({ system: ["<start>"], messages: [[`<turn ${prompt.info.id}>`]] })
    const next = await client.prompt(session, "Which port?")
    const again = await client.request(session, [first, late, next])
    expect(carried(again).messages).toEqual([[`<turn ${first.info.id}>`], [], [`<turn ${next.info.id}>`]])
    const told = new Set(daemon.of("chat.message").map(({ messageID }) => messageID))
    expect([...told]).toEqual([first, late, prompt, next].map(({ info }) => info.id)) // too late to show, not to learn
  })

  test("one that hangs from the start costs a session its start and no more", async () => {
    const { client, daemon } = await playing()
    daemon.hang()
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    let sent
    expect(await took((async () => (sent = await client.request(session, [prompt])))())).toBeLessThan(
      START_MS + 4 * PROMPT_MS + MARGIN_MS,
    )
    expectBare(sent!, [prompt])
    const other = await client.session()
    expect(await took(client.request(other, [await client.prompt(other, "Hello?")]))).toBeLessThan(START_MS + MARGIN_MS)
    const asked = daemon.asked.length
    const again = await client.prompt(session, "And the database?")
    expectBare(await client.request(session, [prompt, again]), [prompt, again])
    expect(daemon.asked.length).toBe(asked) // quiet
  })

  test("a hung one does not hold up the events, the compaction or the end", async () => {
    const { client, daemon } = await playing()
    daemon.hang()
    const session = await client.session()
    const reply = assistant(session)
    const handlers: Promise<unknown>[] = [
      client.event("session.compacted", { sessionID: session }),
      client.tool(reply, { status: "error", error: "no" }),
      client.says(reply, "Done."),
      client.call("experimental.session.compacting", { sessionID: session }, { context: [] }),
      client.call("tool.execute.before", { tool: "recollect_search", sessionID: session, callID: "c" }, { args: {} }),
      client.event("session.deleted", { sessionID: session, info: { id: session } }),
    ]
    expect(await took(Promise.all(handlers))).toBeLessThan(PROMPT_MS + MARGIN_MS)
    expect(await took(client.call("dispose"))).toBeLessThan(30 + MARGIN_MS)
  })

  test("one that dies in the middle of an answer is nothing", async () => {
    const { client, daemon } = await playing()
    const session = await client.session()
    const first = await client.prompt(session, "Hello?")
    await client.request(session, [first])
    daemon.hang("chat.message")
    const second = await client.prompt(session, "How do we deploy?")
    const request = client.request(session, [first, second])
    await until(() => daemon.of("chat.message").length > 1, "it is asked")
    await daemon.stop()
    expect(carried(await request).messages).toEqual([[`<turn ${first.info.id}>`], []])
  })
})

describe("a client that is busy itself while it starts", () => {
  const heldUp = async () => {
    await Bun.sleep(50)
    Bun.sleepSync(START_MS + 500)
    await Bun.sleep(50)
  }
  const expectRemembered = async (client: Client) => {
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    expect(carried(await client.request(session, [prompt]))).toEqual({
      system: ["<start>"],
      messages: [[`<turn ${prompt.info.id}>`]],
    })
  }

  test("asks a daemon that came up meanwhile", async () => {
    const stage = new Stage()
    stage.command(["true"])
    stage.daemon.answers = { ...BLOCKS }
    const client = await stage.load()
    await heldUp()
    stage.daemon.listen()
    await expectRemembered(client)
  })

  test("does not take it for hung because its answer was read late", async () => {
    const { client, daemon } = await playing({ ...BLOCKS, "/v1/wake": () => Bun.sleep(100).then(() => ({})) })
    await until(() => daemon.names.includes("/v1/wake"), "it is woken")
    await heldUp()
    await expectRemembered(client)
  })
})

describe("a daemon that stumbles once", () => {
  test("over a note does not lose what is asked after it", async () => {
    const { client, daemon } = await playing({ ...BLOCKS, reply: () => new Response("<html>no</html>") })
    const session = await client.session()
    const first = await client.prompt(session, "Hello?")
    await client.request(session, [first])
    const reply = assistant(session)
    await client.says(reply, "This one it cannot read.")
    const next = await client.prompt(session, "And now?")
    const sent = await client.request(session, [first, reply, next])
    expect(carried(sent).messages.at(-1)).toEqual([`<turn ${next.info.id}>`])
    expect(daemon.of("reply")).toHaveLength(1)
  })

  test("over whose tool it is, for longer than that may take, is asked all the same", async () => {
    const { client } = await playing({ ...BLOCKS, "/v1/asking": () => Bun.sleep(150).then(() => ({})) })
    const session = await client.session()
    const first = await client.prompt(session, "Hello?")
    await client.request(session, [first])
    await client.call("tool.execute.before", { tool: "recollect_search", sessionID: session, callID: "c" }, { args: {} })
    const reply = assistant(session)
    await client.tool(reply, { status: "error", error: "File not found" }, "read")
    const sent = await client.request(session, [first, reply])
    expect(carried(sent).messages.at(-1)).toHaveLength(1)
  })
})

describe("where there is no daemon", () => {
  test("and none can be started, a turn is bare and soon gone on with", async () => {
    const stage = new Stage()
    stage.command(["/nowhere/python", "-m", "recollect.daemon"])
    const client = await stage.load()
    const session = await client.session()
    const prompt = await client.prompt(session, "How do we deploy?")
    const began = Date.now()
    expectBare(await client.request(session, [prompt]), [prompt])
    expect(Date.now() - began).toBeLessThan(START_MS + 4 * PROMPT_MS + MARGIN_MS)
  })

  test.each(["", "null", "5", "{}", '{"command": 5}', '{"command": []}', '{"command": [5]}'])(
    "a command.json of %p changes nothing",
    async (content) => {
      const stage = new Stage()
      writeFileSync(join(stage.state, "command.json"), content)
      const client = await stage.load()
      const config = {}
      await client.call("config", config)
      const session = await client.session()
      const prompt = await client.prompt(session, "How do we deploy?")
      const began = Date.now()
      expectBare(await client.request(session, [prompt]), [prompt])
      expect(Date.now() - began).toBeLessThan(START_MS) // there is nothing to wait for
      expect((config as { mcp?: object }).mcp ?? {}).toEqual({})
    },
  )

  test("a folder of somebody else in its place is not spoken to", async () => {
    const stage = new Stage()
    stage.daemon.answers = { ...BLOCKS }
    stage.daemon.listen()
    const getuid = process.getuid
    process.getuid = () => 4_242
    try {
      const client = await stage.load()
      const session = await client.session()
      const prompt = await client.prompt(session, "How do we deploy?")
      expectBare(await client.request(session, [prompt]), [prompt])
      expect(stage.daemon.asked).toEqual([])
    } finally {
      process.getuid = getuid
    }
  })

  test("what the plugin could not do stands in its log, which does not grow for ever", async () => {
    const stage = new Stage()
    writeFileSync(join(stage.state, "plugin.log"), "x".repeat(300_000))
    stage.command(["/nowhere/python"])
    const client = await stage.load()
    await client.call("chat.message", null)
    await until(() => stage.log.length > 0 && stage.log.length < 10_000, "it begins anew")
    await until(() => stage.log.includes("chat.message"), "it is noted")
    expect(stage.log).not.toContain("xxx")
  })

  test("a request without a prompt goes through", async () => {
    const { client } = await playing()
    const messages = { messages: [assistant("ses_x")] }
    await client.call("experimental.chat.messages.transform", {}, messages)
    expect(messages.messages[0]?.parts).toEqual([])
  })
})
