import type { Command } from 'commander'
import { FLEET_CONFIG_MAP, POOL_CONTROLS } from '../../protocol/names.ts'
import { staysBecause } from '../../rollout/controls/rollback.ts'
import { isRejected } from '../../rollout/model/remembered-revision.ts'
import type { CliIo } from '../cli-io.ts'
import { oneOf } from './pause.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import { type ControlView, fleetAnnotations, poolNamed } from './view.ts'
import type { ControlWrite, Steered } from './write.ts'

interface Flags extends VerbFlags {
  readonly all?: true
}

export function resumeCommand(io: CliIo): Command {
  return verbCommand('resume')
    .description('end the pause of a pool or of the fleet; for a pool that is not paused, end its rollback')
    .argument('[pool]')
    .option('--all', "end the fleet's pause; a pool with a pause of its own stays paused")
    .addHelpText('after', '\nExample:\n  $ nodewave resume workers')
    .action((pool: string | undefined, flags: Flags) => {
      const whose = oneOf({ pool, all: flags.all })
      return runVerb(io, flags, (view) => (whose === 'fleet' ? resumeFleet(view) : resumePool(view, pool ?? '')))
    })
}

async function resumePool(view: ControlView, name: string): Promise<Intent> {
  const { controls = {}, status } = poolNamed(view.pools, name)
  const on = { kind: 'NodePool', name } as const
  const fleet = (await fleetAnnotations(view))?.[POOL_CONTROLS.paused]
  const still = fleet === undefined ? '' : '; the fleet is still paused: nodewave resume --all'
  if (controls.paused !== undefined) {
    const rolledBack = controls.rollback === undefined ? '' : '; it stays rolled back until the next nodewave resume'
    return {
      says: `pool "${name}" is resumed${rolledBack}${still}`,
      writes: endOfPause(on, controls.stopDrains === true),
      awaits: [{ pool: name, action: 'Resume' }],
    }
  }
  if (controls.rollback === undefined)
    return { says: `pool "${name}" is neither paused nor rolled back${still}`, writes: [], awaits: [] }
  const { rollback, rejected = [] } = status
  const stays = rollback && isRejected({ rejected }, rollback.from) ? `; ${staysBecause(name, rollback.from, { rejected })}` : ''
  return {
    says: `pool "${name}" follows the repository again${stays}${still}`,
    writes: [{ on, annotation: POOL_CONTROLS.rollback, value: null }],
    awaits: [{ pool: name, action: 'EndRollback' }],
  }
}

async function resumeFleet(view: ControlView): Promise<Intent> {
  const { pools, namespace } = view
  const annotations = await fleetAnnotations(view)
  if (annotations && annotations[POOL_CONTROLS.paused] === undefined)
    return { says: 'the fleet is not paused', writes: [], awaits: [] }
  const own = pools.filter(({ controls }) => controls?.paused !== undefined).map(({ name }) => name)
  const on = { kind: 'ConfigMap', name: FLEET_CONFIG_MAP, namespace } as const
  return {
    says: `the fleet is resumed${own.length === 0 ? '' : `; pools with a pause of their own: ${own.join(', ')}`}`,
    writes: endOfPause(on, annotations?.[POOL_CONTROLS.stopDrains] !== undefined),
    awaits: pools.map(({ name }) => ({ pool: name, action: 'ResumeFleet' })),
  }
}

function endOfPause(on: Steered, stopsDrains: boolean): readonly ControlWrite[] {
  const annotations = [POOL_CONTROLS.paused, ...(stopsDrains ? [POOL_CONTROLS.stopDrains] : [])]
  return annotations.map((annotation) => ({ on, annotation, value: null }))
}
