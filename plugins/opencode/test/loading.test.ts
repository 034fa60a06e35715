/** How the client loads it: one export, twice without harm, in the next major version too; its tools and its daemon. */
import { describe, expect, test } from "bun:test"
import { cpSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import plugin from "../recollect.ts"
import { playing, Stage, until } from "./stage.ts"

describe("the plugin", () => {
  test("has one export, with a name and the entries of both versions of the client", async () => {
    const exported = await import("../recollect.ts")
    expect(Object.keys(exported)).toEqual(["default"])
    expect(Object.keys(plugin).sort()).toEqual(["id", "server", "setup"])
    expect([plugin.id, typeof plugin.server, typeof plugin.setup]).toEqual(["recollect", "function", "function"])
  })

  test("that is loaded a second time in one client is silent; in another client it is not", async () => {
    const stage = new Stage()
    const [first, second] = [await stage.load(), await stage.load()]
    expect(Object.keys(first.hooks).length).toBeGreaterThan(8)
    expect(second.hooks).toEqual({})
    const other = await stage.load({ ...stage.client })
    expect(Object.keys(other.hooks)).toEqual(Object.keys(first.hooks))
  })

  test("that is loaded a second time from another file is silent too", async () => {
    const stage = new Stage()
    await stage.load()
    const here = join(import.meta.dir, "..")
    for (const name of ["recollect.ts", "recollect"])
      cpSync(join(here, name), join(stage.folder, name), { recursive: true })
    const copy = await import(join(stage.folder, "recollect.ts"))
    const input = { client: stage.client, directory: stage.directory }
    expect(await copy.default.server(input)).toEqual({})
  })

  test("has hooks of known names only, each a function", async () => {
    const { hooks } = await new Stage().load()
    expect(Object.values(hooks).map((hook) => typeof hook)).toEqual(Object.keys(hooks).map(() => "function"))
    expect(Object.keys(hooks).sort()).toMatchInlineSnapshot(`
      [
        "chat.message",
        "chat.params",
        "command.execute.before",
        "config",
        "dispose",
        "event",
        "experimental.chat.messages.transform",
        "experimental.chat.system.transform",
        "experimental.session.compacting",
        "experimental.text.complete",
        "tool.execute.before",
      ]
    `)
  })

  test("loads without waiting for the daemon", async () => {
    const stage = new Stage()
    stage.daemon.listen().hang()
    await stage.load()
    await until(() => stage.daemon.asked.length > 0, "the daemon is greeted")
  })
})

describe("the next major version of the client", () => {
  const setup = plugin.setup as (context?: unknown) => Promise<unknown>

  test.each([undefined, null, {}, { session: {} }, { session: null }, 5])(
    "with a context of %p gets silence",
    async (context) => {
      new Stage()
      expect(await setup(context)).toBeUndefined()
    },
  )

  test("with hooks of its own gets silence and a line in our log: nothing is promised for it yet", async () => {
    const stage = new Stage()
    const hooked: unknown[] = []
    const session = { hook: (...args: unknown[]) => hooked.push(args) }
    expect(await setup({ session })).toBeUndefined()
    expect(hooked).toEqual([])
    expect(stage.log).toContain("newer than its plugin")
  })
})

describe("our tools", () => {
  const MCP = ["/opt/recollect", "mcp"]

  async function configured(
    config: Record<string, unknown>,
    mcp: string[] | undefined = MCP,
  ): Promise<Record<string, unknown>> {
    const stage = new Stage()
    stage.command(["true"], mcp)
    await (await stage.load()).call("config", config)
    return config
  }

  test("are there without a line in the user's configuration", async () => {
    const { mcp } = (await configured({})) as { mcp: Record<string, { type: string; command: string[] }> }
    expect(Object.keys(mcp)).toEqual(["recollect"])
    expect(mcp.recollect?.type).toBe("local")
    expect(mcp.recollect?.command.slice(0, 2)).toEqual(MCP)
  })

  test("are left as the user has them, also where they are switched off", async () => {
    const theirs = { recollect: { type: "local", command: ["mine"], enabled: false } }
    expect(await configured({ mcp: structuredClone(theirs) })).toEqual({ mcp: theirs })
  })

  test("that install has named are found wherever they lie on this machine", async () => {
    for (const command of [["recollect", "mcp"], ["/elsewhere/bin/recollect", "mcp"]]) {
      const config = await configured({ mcp: { recollect: { type: "local", command, timeout: 3000 } } })
      const { recollect } = config.mcp as Record<string, { command: string[]; timeout: number }>
      expect(recollect?.command.slice(0, 2)).toEqual(MCP)
      expect(recollect?.timeout).toBe(3000)
    }
    const off = { recollect: { type: "local", command: ["recollect", "mcp"], enabled: false } }
    expect(await configured({ mcp: structuredClone(off) })).toEqual({ mcp: off })
  })

  test("stand beside the user's own servers", async () => {
    const { mcp } = await configured({ mcp: { other: { type: "local", command: ["other"] } } })
    expect(Object.keys(mcp as object)).toEqual(["other", "recollect"])
  })

  test("are not named where nobody knows their command", async () => {
    expect(Object.keys(((await configured({}, [])).mcp ?? {}) as object)).toEqual([])
    const stage = new Stage() // no command.json at all
    const config: { mcp?: object } = {}
    await (await stage.load()).call("config", config)
    expect(config.mcp ?? {}).toEqual({})
  })
})

describe("the daemon", () => {
  test("is started when nobody listens, with none of the client's API keys", async () => {
    const stage = new Stage()
    const told = join(stage.folder, "environment")
    Object.assign(process.env, {
      OPENAI_API_KEY: "sk-1",
      ANTHROPIC_AUTH_TOKEN: "t-1",
      RECOLLECT_LEVEL: "x",
      LC_ALL: "C",
    })
    stage.command(["/bin/sh", "-c", `pwd > ${told}.$$; env >> ${told}.$$; mv ${told}.$$ ${told}`])
    await stage.load()
    await until(() => existsSync(told), "it is started")
    const [cwd, ...lines] = readFileSync(told, "utf8").trim().split("\n")
    const names = lines.map((line) => line.split("=", 1)[0]!)
    expect(cwd).toBe("/")
    expect(lines.join()).not.toMatch(/sk-1|t-1/)
    expect(names).toEqual(
      expect.arrayContaining(["HOME", "PATH", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "RECOLLECT_LEVEL", "LC_ALL"]),
    )
    const known = /^(HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*|MALLOC_ARENA_MAX|PWD|OLDPWD|SHLVL|_)$/
    expect(names.filter((name) => !known.test(name))).toEqual([])
  })

  test("is started once, however much is asked meanwhile", async () => {
    const stage = new Stage()
    const told = join(stage.folder, "starts")
    stage.command(["/bin/sh", "-c", `echo started >> ${told}`])
    const client = await stage.load()
    for (let number = 0; number < 3; number++) {
      const session = `ses_${number}`
      await client.request(session, [await client.prompt(session, "Hello?")])
    }
    expect(readFileSync(told, "utf8")).toBe("started\n")
  })

  test("that only starts is waited for by a session's first prompt", async () => {
    const stage = new Stage()
    const told = join(stage.folder, "started")
    stage.daemon.answers["session.start"] = () => ({ block: "<start>", placement: "message" })
    stage.command(["/bin/sh", "-c", `touch ${told}`])
    const client = await stage.load()
    const session = await client.session()
    const request = client.request(session, [await client.prompt(session, "Hello?")])
    await until(() => existsSync(told), "it is started")
    stage.daemon.listen()
    expect((await request).system.slice(1)).toEqual(["<start>"])
  })
})

describe("a first run", () => {
  test("is welcomed once on this machine, in the client's own log and on its screen", async () => {
    const { stage, client } = await playing({
      "session.start": () => ({ block: "", placement: "message", notice: "Recollect is here." }),
    })
    const greet = async (session: string) => client.request(session, [await client.prompt(session, "Hello?")])
    await greet(await client.session())
    await until(() => stage.toasts.length > 0 && stage.logged.length > 0, "it is welcomed")
    await greet(await client.session())
    expect(stage.toasts).toHaveLength(1)
    expect(JSON.stringify([stage.toasts, stage.logged])).toContain("Recollect is here.")
  })

  test("is quiet where the daemon has nothing to say, or the client no screen", async () => {
    const { stage, client } = await playing()
    await client.request("ses_1", [await client.prompt("ses_1", "Hello?")])
    expect(stage.toasts).toEqual([])
    const other = new Stage()
    other.daemon.answers["session.start"] = () => ({ block: "<start>", notice: "Recollect is here." })
    other.daemon.listen()
    const bare = await other.load({})
    const sent = await bare.request("ses_2", [await bare.prompt("ses_2", "Hello?")])
    expect(sent.system.slice(1)).toEqual(["<start>"])
  })
})
