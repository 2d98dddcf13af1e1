import type { Command } from 'commander'
import { FLEET_CONFIG_MAP, POOL_CONTROLS } from '../../protocol/names.ts'
import type { CliIo } from '../cli-io.ts'
import { isPausedAndQuiet, isQuiet } from './await-records.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import { type ControlView, fleetAnnotations, poolNamed } from './view.ts'
import type { ControlWrite, Steered } from './write.ts'

interface Flags extends VerbFlags {
  readonly all?: true
  readonly reason?: string
  readonly stopDrains?: true
}

export function pauseCommand(io: CliIo): Command {
  return verbCommand('pause')
    .description('pause the rollouts of a pool or of the whole fleet; nodes that have started finish')
    .argument('[pool]')
    .option('--all', 'pause every pool, including pools added later')
    .option('--reason <text>', 'reason shown in the status')
    .option('--stop-drains', 'stop drains under way, too: no further pod is evicted, and their nodes are uncordoned')
    .addHelpText('after', '\nExample:\n  $ nodewave pause workers --reason "new firmware in rack 4"')
    .action((pool: string | undefined, flags: Flags) => {
      const whose = oneOf({ pool, all: flags.all })
      return runVerb(io, flags, (view) => (whose === 'fleet' ? pauseFleet(view, flags) : pausePool(view, pool ?? '', flags)))
    })
}

interface Pause {
  readonly reason: string
  readonly stopDrains: boolean
}

/** What is paused already stays as it is, but for what this pause says itself: nobody loosens the pause of somebody else by repeating it. */
function pauseOver(before: Before, { reason, stopDrains }: Flags): Pause {
  return { reason: reason ?? before.reason ?? '', stopDrains: stopDrains ?? before.stopDrains }
}

/** Called before the cluster is asked. @throws {Error} when both or none is given */
export function oneOf({ pool, all }: { readonly pool: string | undefined; readonly all: true | undefined }): 'pool' | 'fleet' {
  if ((pool === undefined) === (all === undefined))
    throw new Error(
      `${pool === undefined ? 'missing argument: name a pool, or use --all' : 'a pool and --all exclude each other: use one of them'}`,
    )
  return all ? 'fleet' : 'pool'
}

function pausePool({ pools }: ControlView, name: string, flags: Flags): Intent {
  const { controls } = poolNamed(pools, name)
  const on = { kind: 'NodePool', name } as const
  const before = { reason: controls?.paused, stopDrains: controls?.stopDrains === true }
  const pause = pauseOver(before, flags)
  if (isSame(before, pause))
    return { says: `pool "${name}" is already paused`, writes: [], awaits: [{ pool: name, effect: isPausedAndQuiet }] }
  return {
    says: `pool "${name}" is paused: no new node starts, ${describe(pause)}`,
    writes: writesOf(on, before, pause),
    awaits: [{ pool: name, action: 'Pause', effect: isQuiet }],
  }
}

async function pauseFleet(view: ControlView, flags: Flags): Promise<Intent> {
  const { pools, namespace } = view
  const annotations = (await fleetAnnotations(view)) ?? {}
  const before = {
    reason: annotations[POOL_CONTROLS.paused],
    stopDrains: annotations[POOL_CONTROLS.stopDrains] !== undefined,
  }
  const pause = pauseOver(before, flags)
  if (isSame(before, pause)) {
    const awaits = pools.map(({ name }) => ({ pool: name, effect: isPausedAndQuiet }))
    return { says: 'the fleet is already paused', writes: [], awaits }
  }
  const on = { kind: 'ConfigMap', name: FLEET_CONFIG_MAP, namespace } as const
  return {
    says: `the fleet is paused: no new node starts in any pool, ${describe(pause)}`,
    writes: writesOf(on, before, pause),
    awaits: pools.map(({ name }) => ({ pool: name, action: 'PauseFleet', effect: isQuiet })),
  }
}

type Before = Omit<Pause, 'reason'> & { readonly reason: string | undefined }

function isSame(before: Before, { reason, stopDrains }: Pause): boolean {
  return before.reason === reason && before.stopDrains === stopDrains
}

function writesOf(on: Steered, before: Before, { reason, stopDrains }: Pause): readonly ControlWrite[] {
  const drains =
    before.stopDrains === stopDrains ? [] : [{ on, annotation: POOL_CONTROLS.stopDrains, value: stopDrains ? 'true' : null }]
  return [...drains, ...(before.reason === reason ? [] : [{ on, annotation: POOL_CONTROLS.paused, value: reason }])]
}

function describe({ reason, stopDrains }: Pause): string {
  const drains = stopDrains ? ', drains under way are stopped' : ''
  return `nodes that have started finish${drains}${reason === '' ? '' : `; ${reason}`}`
}
