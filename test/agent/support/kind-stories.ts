import { expect } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { Machine } from './machine.ts'
import { type Mishap, runThrough } from './run-through.ts'

/** Makes the kubelet crash. */
export const BAD_FLAGS = '--container-runtime-endpoint=unix:///not/there.sock'

/** A host, and what it is assigned. */
export interface Scene {
  readonly machine: () => Machine
  /** What a good assignment, and one that makes the kubelet crash, have in common. */
  readonly content: (machine: Machine) => NodeContent
}

interface Story extends Mishap {
  readonly flags: string
}

/** Files, links, directories with their modes, and units: what of a host has to be the same in the end. */
export async function hostOf(machine: Machine) {
  const units: Record<string, string> = {}
  for (const name of ['kubelet.service', 'containerd.service', 'tuned.service']) {
    const { exists, enabled, active } = await machine.host.services.show(name)
    units[name] = `${exists} ${enabled} ${active}`
  }
  const paths = machine.host.files.directories().filter((path) => !`${path}/`.startsWith('/var/lib/nodewave/'))
  const directories: Record<string, string> = {}
  for (const path of paths) {
    const { mode, uid, gid } = (await machine.host.files.stat(path)) ?? { mode: 0, uid: 0, gid: 0 }
    directories[path] = `${mode.toString(8)} ${uid}:${gid}`
  }
  return { files: machine.hostFiles(), directories, units }
}

async function tell({ machine: make, content }: Scene, { flags, ...mishap }: Story) {
  const machine = make()
  await machine.clock.advance(5000)
  const digest = machine.assign({ ...content(machine), flags })
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack'].includes(machine.status.phase)
  const effects = await runThrough(machine, ended, mishap)
  return { effects, phase: machine.status?.phase, host: await hostOf(machine) }
}

interface Dying {
  readonly isPowerCut?: boolean
  /** The last line of the journal comes only half as far. */
  readonly torn?: boolean
}

const DEATHS: readonly Dying[] = [{}, { isPowerCut: true }, { torn: true }]

/** The agent or the machine dies after any effect on the host, and everything comes to the same end. */
export async function expectSameEndAfterDeath(
  scene: Scene,
  { flags, phase, deaths = DEATHS }: { readonly flags: string; readonly phase: string; readonly deaths?: readonly Dying[] },
) {
  const calm = await tell(scene, { flags })
  expect(calm.phase).toBe(phase)
  for (let effect = 1; effect <= calm.effects; effect++)
    for (const story of deaths) {
      const { torn = false, isPowerCut = false } = story
      const killed = await tell(scene, { flags, death: { afterEffect: effect, torn }, isPowerCut })
      const told = `${JSON.stringify(story)} after effect ${effect}`
      expect({ phase: killed.phase, host: killed.host }, told).toEqual({ phase, host: calm.host })
    }
}

/** The disk is full from any effect on, and works again after ten minutes: the host is as assigned, or as before. */
export async function expectWholeOnFullDisk(scene: Scene) {
  const before = await hostOf(scene.machine())
  const calm = await tell(scene, { flags: '--v=3' })
  for (let effect = 1; effect <= calm.effects; effect++) {
    const { phase, host } = await tell(scene, { flags: '--v=3', death: { afterEffect: effect }, disk: 'ENOSPC' })
    expect(host, `full from effect ${effect}`).toEqual(phase === 'Applied' ? calm.host : before)
  }
}
