import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'
import { AT_LEAST, HostilePlace, NOBODY, OPEN, TOLD } from './hostile-place.ts'

/** Hundreds of moves of the adversary. */
const HUNDREDS = 200
/** Of the agent in each place. */
const ROUNDS = 20
/** Milliseconds, for a machine that has much else to do. */
const DEADLINE = 80_000 + AT_LEAST
const MINE = 'written-by-the-agent\n'
/** A file of root in a directory for all. */
const KEPT = 'tmp/kept.conf'

let place: HostilePlace
beforeEach(() => {
  place = new HostilePlace()
})
// Also of a test that took too long.
afterEach(() => place[Symbol.asyncDispose]())

test('a user who swaps links, directories and files wherever it may write changes and reads nothing of the host through the agent', {
  timeout: DEADLINE + 30_000,
}, async () => {
  writeFileSync(place.at('staged'), MINE, { mode: 0o644 })
  writeFileSync(place.at(KEPT), MINE)
  const before = place.sentinels()
  await place.attack(2)
  const done = await work()
  await place.stop()

  expect(place.sentinels()).toEqual(before)
  expect(readdirSync(place.at('etc')).sort()).toEqual(['agent', 'shadow', 'sudoers.d'])
  expect(readFileSync(place.at('etc/agent/a.conf'), 'utf8')).toBe(MINE)
  expect(place.contentsOf('var/lib/nodewave/copies').filter((text) => text.includes(TOLD))).toEqual([])
  for (const { path } of OPEN.filter(({ uid }) => uid !== 0))
    expect(place.contentsOf(path).filter((text) => text.includes(MINE))).toEqual([])
  // Where nobody interferes everything works, and something does in /tmp, or nothing was proved.
  expect(done.failedInEtc).toBe(0)
  // Nobody can take the name of a file of root in a sticky directory, and the names beside it are of no use to an adversary.
  expect(done.failedToKeep).toEqual([])
  expect(done.inTmp).toBeGreaterThan(0)
  expect(done.refused).toBeGreaterThan(0)
  expect(done.rounds).toBeGreaterThanOrEqual(ROUNDS)
  expect(place.hundreds).toBeGreaterThanOrEqual(HUNDREDS)
})

interface Done {
  readonly failedToKeep: unknown[]
  failedInEtc: number
  inTmp: number
  refused: number
  rounds: number
}

/** Until both sides have done enough, however slow the machine is. */
async function work(): Promise<Done> {
  // As a whole host would be: absolute links lead where they say.
  const files = nodeFiles(new HostTree('/', { own: place.at('var/lib/nodewave') }))
  const done: Done = { failedToKeep: [], failedInEtc: 0, inTmp: 0, refused: 0, rounds: 0 }
  const start = performance.now()
  const lasted = (): number => performance.now() - start
  const isEnough = (): boolean =>
    lasted() >= AT_LEAST && place.hundreds >= HUNDREDS && done.rounds >= ROUNDS && done.inTmp > 0 && done.refused > 0
  for (; !isEnough() && lasted() < DEADLINE; done.rounds++) {
    const round = done.rounds
    await use(files, { name: 'etc/agent/a.conf', round }).catch(() => done.failedInEtc++)
    await rewrite(files, place.at(KEPT)).catch((error: unknown) => done.failedToKeep.push(error))
    for (const { path } of OPEN)
      for (const name of ['a.conf', 'sub/a.conf'])
        await use(files, { name: `${path}/${name}`, round }).then(
          () => (done.inTmp += path === 'tmp' ? 1 : 0),
          () => done.refused++,
        )
  }
  return done
}

async function rewrite(files: HostFiles, path: string): Promise<void> {
  const kept = place.at('var/lib/nodewave/kept')
  await files.keep(path, kept)
  await files.writeAtomic(path, Buffer.from(MINE))
  await files.install(place.at('staged'), path)
  await files.restore(kept, path, { mode: 0o644, uid: 0, gid: 0 })
}

interface Use {
  readonly name: string
  readonly round: number
}

/** As a transaction uses a file: looks, keeps, writes, gives away, puts back, removes. */
async function use(files: HostFiles, { name, round }: Use): Promise<void> {
  const path = place.at(name)
  const state = place.at('var/lib/nodewave')
  const [kept, copy, staged] = [`${state}/backups/0`, `${state}/copies/${round % 50}`, place.at('staged')]
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
