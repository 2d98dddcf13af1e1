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
    .description('let nothing begin in a pool, or in the whole fleet; nodes under way finish')
    .argument('[pool]')
    .option('--all', 'every pool, those that come later too')
    .option('--reason <text>', 'for the others, who read it in the status')
    .addHelpText('after', '\nExample:\n  $ nodewave pause workers --reason "new firmware in rack 4"')
    .action((pool: string | undefined, flags: Flags) => runVerb(io, flags, (view) => intend(view, pool, flags)))
}

async function intend(view: ControlView, pool: string | undefined, { all, reason = '' }: Flags): Promise<Intent> {
  return oneOf({ pool, all }) === 'fleet' ? pauseFleet(view, reason) : pausePool(view, pool ?? '', reason)
}

/** @throws {Error} when both or none is given */
export function oneOf({ pool, all }: { readonly pool: string | undefined; readonly all: true | undefined }): 'pool' | 'fleet' {
  if ((pool === undefined) === (all === undefined))
    throw new Error(`name ${pool === undefined ? 'a pool, or give --all' : 'either a pool or --all, not both'}`)
  return all ? 'fleet' : 'pool'
}

function pausePool({ pools }: ControlView, name: string, reason: string): Intent {
  const { controls } = poolNamed(pools, name)
  const on = { kind: 'NodePool', name } as const
  if (controls?.paused === reason) return { says: `pool "${name}" is paused already`, writes: [], awaits: [] }
  return {
    says: `pool "${name}" is paused: nothing begins, nodes under way finish${because(reason)}`,
    writes: [{ on, annotation: POOL_CONTROLS.paused, value: reason }],
    awaits: [{ pool: name, action: 'Pause', effect: isQuiet }],
  }
}

async function pauseFleet(view: ControlView, reason: string): Promise<Intent> {
  const { pools, namespace } = view
  const standing = (await fleetAnnotations(view))?.[POOL_CONTROLS.paused]
  if (standing === reason) return { says: 'the fleet is paused already', writes: [], awaits: [] }
  const on = { kind: 'ConfigMap', name: FLEET_CONFIG_MAP, namespace } as const
  return {
    says: `the fleet is paused: no pool begins anything, nodes under way finish${because(reason)}`,
    writes: [{ on, annotation: POOL_CONTROLS.paused, value: reason }],
    awaits: pools.map(({ name }) => ({ pool: name, action: 'PauseFleet', effect: isQuiet })),
  }
}

function because(reason: string): string {
  return reason === '' ? '' : `; ${reason}`
}
