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
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'

/** Hundreds of moves of the adversary. `NODEWAVE_ADVERSARY_HUNDREDS=5000 npx vitest run test/agent/strangers` is the long run. */
const HUNDREDS = Number(process.env.NODEWAVE_ADVERSARY_HUNDREDS ?? 200)
/** Of the agent in each place. */
const ROUNDS = 20
/** Milliseconds, for a machine that has much else to do. */
const DEADLINE = 60_000 + HUNDREDS * 100
const NOBODY = 65534
const SECRET = 'root:secret-of-the-host\n'
const MINE = 'written-by-the-agent\n'

/** Where a hostile user may work, and how it came to that. */
const OPEN = [
  { path: 'tmp', mode: 0o1777, uid: 0 },
  { path: 'tmp/of-root', mode: 0o777, uid: 0 },
  { path: 'srv/open', mode: 0o777, uid: 0 },
  { path: 'srv/open/deep/er', mode: 0o755, uid: 0 },
  { path: 'srv/group', mode: 0o775, uid: 0 },
  { path: 'home/app', mode: 0o755, uid: NOBODY },
  { path: 'home/app/conf.d', mode: 0o755, uid: 0 },
]

let root = ''
const attackers: ChildProcess[] = []
const moves = { hundreds: 0 }
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'nodewave-adversary-')))
  chmodSync(root, 0o755)
  mkdirSync(join(root, 'etc/sudoers.d'), { recursive: true })
  writeFileSync(join(root, 'etc/shadow'), SECRET, { mode: 0o600 })
  writeFileSync(join(root, 'etc/sudoers.d/rules'), SECRET, { mode: 0o640 })
  writeFileSync(join(root, 'staged'), MINE, { mode: 0o644 })
  for (const { path } of OPEN) mkdirSync(join(root, path), { recursive: true })
  for (const { path, mode, uid } of OPEN) {
    chmodSync(join(root, path), mode)
    chownSync(join(root, path), uid, path === 'srv/group' ? NOBODY : 0)
  }
})
afterEach(async () => {
  await stop()
  rmSync(root, { recursive: true, force: true })
})

test('a user who swaps links, directories and files wherever it may write changes and reads nothing of the host through the agent', {
  timeout: DEADLINE + 30_000,
}, async () => {
  const before = sentinels()
  await attack(2)
  const files = nodeFiles(new HostTree('/', { own: join(root, 'var/lib/nodewave') }))
  const done = await work(files, performance.now() + DEADLINE)
  await stop()

  expect(sentinels()).toEqual(before)
  expect(readdirSync(join(root, 'etc')).sort()).toEqual(['agent', 'shadow', 'sudoers.d'])
  expect(readFileSync(join(root, 'etc/agent/a.conf'), 'utf8')).toBe(MINE)
  expect(contentsOf(join(root, 'var/lib/nodewave/copies')).filter((text) => text.includes(SECRET))).toEqual([])
  for (const { path } of OPEN.filter(({ uid }) => uid !== 0))
    expect(contentsOf(join(root, path)).filter((text) => text.includes(MINE))).toEqual([])
  // Where nobody interferes everything works, and something does in /tmp, or nothing was proved.
  expect(done.failedInEtc).toBe(0)
  expect(done.inTmp).toBeGreaterThan(0)
  expect(done.refused).toBeGreaterThan(0)
  expect(done.rounds).toBeGreaterThanOrEqual(ROUNDS)
  expect(moves.hundreds).toBeGreaterThanOrEqual(HUNDREDS)
})

/** Everything that must not change, nor be told. */
function sentinels(): unknown {
  return ['etc/shadow', 'etc/sudoers.d', 'etc/sudoers.d/rules'].map((path) => {
    const { mode, uid, gid, ino, nlink } = lstatSync(join(root, path))
    const content = path.endsWith('.d') ? readdirSync(join(root, path)) : readFileSync(join(root, path), 'utf8')
    return { path, mode, uid, gid, ino, nlink, content }
  })
}

async function attack(count: number): Promise<void> {
  const program = join(root, 'swapper.ts')
  copyFileSync(join(import.meta.dirname, 'swapper.ts'), program)
  const env = { SECRETS: ['etc/shadow', 'etc/sudoers.d', 'etc', 'etc/sudoers.d/rules'].map((path) => join(root, path)).join(':') }
  const directories = [...OPEN.map(({ path }) => join(root, path)), join(root, 'var/lib/nodewave'), join(root, 'etc/agent')]
  for (let index = 0; index < count; index++) {
    const child = spawn(process.execPath, [program, ...directories], {
      uid: NOBODY,
      gid: NOBODY,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    attackers.push(child)
    await once(child.stdout, 'data')
    child.stdout.on('data', (lines: Buffer) => (moves.hundreds += lines.toString().split('\n').length - 1))
  }
}

async function stop(): Promise<void> {
  const ended = attackers.splice(0).map(async (attacker) => {
    const exit = once(attacker, 'exit')
    attacker.kill('SIGKILL')
    await exit
  })
  await Promise.all(ended)
}

interface Done {
  failedInEtc: number
  inTmp: number
  refused: number
  rounds: number
}

/** Until both sides have done enough, however slow the machine is. */
function isEnough({ inTmp, refused, rounds }: Done): boolean {
  return moves.hundreds >= HUNDREDS && rounds >= ROUNDS && inTmp > 0 && refused > 0
}

async function work(files: HostFiles, until: number): Promise<Done> {
  const done: Done = { failedInEtc: 0, inTmp: 0, refused: 0, rounds: 0 }
  for (; !isEnough(done) && performance.now() < until; done.rounds++) {
    const round = done.rounds
    await use(files, 'etc/agent/a.conf', round).catch(() => done.failedInEtc++)
    for (const { path } of OPEN)
      for (const name of ['a.conf', 'sub/a.conf'])
        await use(files, `${path}/${name}`, round).then(
          () => (done.inTmp += path === 'tmp' ? 1 : 0),
          () => done.refused++,
        )
  }
  return done
}

/** As a transaction uses a file: looks, keeps, writes, gives away, puts back, removes. */
async function use(files: HostFiles, name: string, round: number): Promise<void> {
  // As a whole host would be: absolute links lead where they say.
  const path = join(root, name)
  const state = join(root, 'var/lib/nodewave')
  const [kept, copy, staged] = [`${state}/backups/0`, `${state}/copies/${round % 50}`, join(root, 'staged')]
  await files.sha256(path)
  if ((await files.stat(path))?.type === 'file') {
    await files.install(path, copy, { mode: 0o644 })
    await files.keep(path, kept)
  } else await files.install(staged, kept)
  const owner = round % 2 === 0 ? {} : { uid: NOBODY, gid: NOBODY }
  await files.writeAtomic(path, Buffer.from(MINE), { mode: 0o666, ...owner })
  await files.install(staged, path, { mode: 0o4755 })
  await files.restore(kept, path, { mode: 0o644, uid: 0, gid: 0 })
  await files.remove(path)
  await files.writeAtomic(path, Buffer.from(MINE), { uid: 0, gid: 0 })
  await files.removeTree(`${state}/backups`)
}

/** Step by step: `recursive` of Node enters links. */
function contentsOf(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? contentsOf(path) : entry.isFile() ? [`${path}: ${readFileSync(path, 'utf8')}`] : []
  })
}
