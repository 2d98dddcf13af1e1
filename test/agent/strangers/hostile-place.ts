/** A directory that stands for a host, on which a process of nobody swaps links, directories and files wherever it may write. Needs root. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How long the adversary is at work at least. `NODEWAVE_ADVERSARY_SECONDS=60 npx vitest run test/agent/strangers` is the long run. */
export const AT_LEAST = Number(process.env.NODEWAVE_ADVERSARY_SECONDS ?? 0) * 1000
export const NOBODY = 65534
const SECRET = 'root:secret-of-the-host\n'
/** Of what nobody may learn. */
export const TOLD = 'secret-of-the-host'

/** Where a hostile user may work, and how it came to that. */
export const OPEN = [
  { path: 'tmp', mode: 0o1777, uid: 0 },
  { path: 'tmp/of-root', mode: 0o777, uid: 0 },
  { path: 'srv/open', mode: 0o777, uid: 0 },
  { path: 'srv/open/deep/er', mode: 0o755, uid: 0 },
  { path: 'srv/group', mode: 0o775, uid: 0 },
  { path: 'home/app', mode: 0o755, uid: NOBODY },
  { path: 'home/app/conf.d', mode: 0o755, uid: 0 },
]
const SECRETS = ['etc/shadow', 'etc/sudoers.d', 'etc', 'etc/sudoers.d/rules']

export class HostilePlace implements AsyncDisposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'nodewave-adversary-')))
  /** Hundreds of moves that the host let the adversary make. */
  hundreds = 0
  readonly #attackers: ChildProcess[] = []

  constructor() {
    chmodSync(this.root, 0o755)
    mkdirSync(this.at('etc/sudoers.d'), { recursive: true })
    writeFileSync(this.at('etc/shadow'), SECRET, { mode: 0o600 })
    writeFileSync(this.at('etc/sudoers.d/rules'), SECRET, { mode: 0o640 })
    for (const { path } of OPEN) mkdirSync(this.at(path), { recursive: true })
    for (const { path, mode, uid } of OPEN) {
      chmodSync(this.at(path), mode)
      chownSync(this.at(path), uid, path === 'srv/group' ? NOBODY : 0)
    }
  }

  at(path: string): string {
    return join(this.root, path)
  }

  /** Everything that must not change, nor be told. */
  sentinels(): unknown {
    return ['etc/shadow', 'etc/sudoers.d', 'etc/sudoers.d/rules'].map((path) => {
      const { mode, uid, gid, ino, nlink } = lstatSync(this.at(path))
      const content = path.endsWith('.d') ? readdirSync(this.at(path)) : readFileSync(this.at(path), 'utf8')
      return { path, mode, uid, gid, ino, nlink, content }
    })
  }

  /** Lines of files below a directory, with their paths. Step by step: `recursive` of Node enters links. */
  contentsOf(directory: string): string[] {
    if (!existsSync(this.at(directory))) return []
    return readdirSync(this.at(directory), { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) return this.contentsOf(path)
      return entry.isFile() ? [`${path}: ${readFileSync(this.at(path), 'utf8')}`] : []
    })
  }

  async attack(count: number): Promise<void> {
    const program = this.at('swapper.ts')
    copyFileSync(join(import.meta.dirname, 'swapper.ts'), program)
    const env = { SECRETS: SECRETS.map((path) => this.at(path)).join(':') }
    const directories = [...OPEN.map(({ path }) => path), 'var/lib/nodewave', 'etc/agent'].map((path) => this.at(path))
    for (let index = 0; index < count; index++) {
      const child = spawn(process.execPath, [program, ...directories], {
        uid: NOBODY,
        gid: NOBODY,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      this.#attackers.push(child)
      await once(child.stdout, 'data')
      child.stdout.on('data', (lines: Buffer) => (this.hundreds += lines.toString().split('\n').length - 1))
    }
  }

  async stop(): Promise<void> {
    const ended = this.#attackers.splice(0).map(async (attacker) => {
      const exit = once(attacker, 'exit')
      attacker.kill('SIGKILL')
      await exit
    })
    await Promise.all(ended)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.root, { recursive: true, force: true })
  }
}
