// Recollect for OpenCode: paths and log. The same rules as in the daemon (src/recollect/paths.py).
import { createHash } from "node:crypto"
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { appendFile, lstat, readFile, stat, unlink, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

const MAX_SOCKET_PATH_BYTES = 100
const MAX_LOG_BYTES = 200_000

function stateFolder(): string {
  const given = process.env.XDG_STATE_HOME ?? ""
  return join(given.startsWith("/") ? given : join(process.env.HOME || homedir(), ".local/state"), "recollect")
}

export function socketPath(): string {
  const given = process.env.XDG_RUNTIME_DIR ?? ""
  const usable = given.startsWith("/") && existsSync(given) && statSync(given).isDirectory()
  const folder = usable ? join(given, "recollect") : stateFolder()
  const path = join(folder, "daemon.sock")
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES && isWritable(folder)) return path
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 12)
  const temporary = process.env.TMPDIR ?? ""
  return join(temporary.startsWith("/") ? temporary : "/tmp", `recollect-${process.getuid?.()}-${hash}`, "daemon.sock")
}

/** Checks the folder or, if it does not exist yet, the nearest folder above it. */
function isWritable(folder: string): boolean {
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Checks the owner: in a shared temporary directory any user may have created the folder. */
export async function isOurs(folder: string): Promise<boolean> {
  const facts = await lstat(folder).catch(() => undefined)
  return facts === undefined || (facts.isDirectory() && facts.uid === process.getuid?.())
}

/** Returns the absolute commands that `recollect install` wrote: of the daemon, and of the MCP server. */
export async function commands(): Promise<{ command: string[]; mcp?: string[] }> {
  return JSON.parse(await readFile(join(stateFolder(), "command.json"), "utf8"))
}

/** True once on this machine. */
export function isFirstRun(): Promise<boolean> {
  return writeFile(join(stateFolder(), "welcomed"), "", { flag: "wx", mode: 0o600 }).then(() => true, () => false)
}

/** Writes a line into plugin.log, for a user who wonders why nothing happens. Needs the state folder. */
export async function note(what: string, error: unknown): Promise<void> {
  const path = join(stateFolder(), "plugin.log")
  const kind = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const size = await stat(path).then((facts) => facts.size, () => 0)
  if (size > MAX_LOG_BYTES) await unlink(path).catch(() => undefined)
  await appendFile(path, `${new Date().toISOString()} opencode ${what}: ${kind}\n`, { mode: 0o600 }).catch(() => undefined)
}
