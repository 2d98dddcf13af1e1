import type { Command } from 'commander'
import { FLEET_CONFIG_MAP, POOL_CONTROLS } from '../../protocol/names.ts'
import type { CliIo } from '../cli-io.ts'
import { isQuiet } from './await-records.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import { type ControlView, fleetAnnotations, poolNamed } from './view.ts'

interface Flags extends VerbFlags {
  readonly all?: true
  readonly reason?: string
}

export function pauseCommand(io: CliIo): Command {
  return verbCommand('pause')
    .description('pause the rollouts of a pool or of the whole fleet; nodes that have started finish')
    .argument('[pool]')
    .option('--all', 'pause every pool, including pools added later')
    .option('--reason <text>', 'reason shown in the status')
    .addHelpText('after', '\nExample:\n  $ nodewave pause workers --reason "new firmware in rack 4"')
    .action((pool: string | undefined, flags: Flags) => runVerb(io, flags, (view) => intend(view, pool, flags)))
}

async function intend(view: ControlView, pool: string | undefined, { all, reason = '' }: Flags): Promise<Intent> {
  return oneOf({ pool, all }) === 'fleet' ? pauseFleet(view, reason) : pausePool(view, pool ?? '', reason)
}

/** @throws {Error} when both or none is given */
export function oneOf({ pool, all }: { readonly pool: string | undefined; readonly all: true | undefined }): 'pool' | 'fleet' {
  if ((pool === undefined) === (all === undefined))
    throw new Error(
      `${pool === undefined ? 'missing argument: name a pool, or use --all' : 'a pool and --all exclude each other: use one of them'}`,
    )
  return all ? 'fleet' : 'pool'
}

function pausePool({ pools }: ControlView, name: string, reason: string): Intent {
  const { controls } = poolNamed(pools, name)
  const on = { kind: 'NodePool', name } as const
  if (controls?.paused === reason) return { says: `pool "${name}" is already paused`, writes: [], awaits: [] }
  return {
    says: `pool "${name}" is paused: no new node starts, nodes that have started finish${because(reason)}`,
    writes: [{ on, annotation: POOL_CONTROLS.paused, value: reason }],
    awaits: [{ pool: name, action: 'Pause', effect: isQuiet }],
  }
}

async function pauseFleet(view: ControlView, reason: string): Promise<Intent> {
  const { pools, namespace } = view
  const standing = (await fleetAnnotations(view))?.[POOL_CONTROLS.paused]
  if (standing === reason) return { says: 'the fleet is already paused', writes: [], awaits: [] }
  const on = { kind: 'ConfigMap', name: FLEET_CONFIG_MAP, namespace } as const
  return {
    says: `the fleet is paused: no new node starts in any pool, nodes that have started finish${because(reason)}`,
    writes: [{ on, annotation: POOL_CONTROLS.paused, value: reason }],
    awaits: pools.map(({ name }) => ({ pool: name, action: 'PauseFleet', effect: isQuiet })),
  }
}

function because(reason: string): string {
  return reason === '' ? '' : `; ${reason}`
}
