import { join } from 'node:path'
import { aFleet } from '../../controller/a-fleet.ts'
import { conditionOf, POOLS, type Stage } from '../../controller/stage.ts'
import { aFolder, type Outcome, runCli } from '../run-cli.ts'

export const [A, B] = ['a', 'b'].map((digit) => digit.repeat(40))
const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'
export const FLEET_MAP = `${MAPS}/nodewave-fleet`
export const NOW = Date.UTC(2026, 10, 21, 9)

export interface ManualStage {
  readonly stage: Stage
  readonly endController: () => Promise<void>
  readonly run: (...args: string[]) => Promise<Outcome>
}

/** A fleet of three nodes with a controller and agents, and a person with a kubeconfig. */
export async function aFleetWith(stage: Stage, rollout?: string): Promise<ManualStage> {
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.kube.create(MAPS, { metadata: { name: 'nodewave-fleet' } })
  await stage.addNodes(3)
  const endController = stage.startController()
  stage.startAgents((node, { REVISION }) => (REVISION === 'f'.repeat(40) || node === 'broken' ? 'rolls back' : 'applies'))
  stage.push('a', aFleet(rollout === undefined ? {} : { rollout }))
  let seconds = 0
  return {
    stage,
    endController,
    run: (...args) =>
      runCli(folder, [...args, '--kubeconfig', join(folder, 'kubeconfig')], { now: () => NOW + 1000 * seconds++ }),
  }
}

/** And at rest: what a person writes in the middle of a pass makes the controller wait a moment, and no time passes by itself here. */
export function rolledBack(stage: Stage) {
  return stage.until(POOLS, (found) => {
    stage.clock.advance(1000)
    const [stalled, reconciling] = ['Stalled', 'Reconciling'].map((type) => conditionOf(found.get('workers'), type))
    return stalled?.reason === 'RolledBack' && reconciling?.status === 'False'
  })
}

export const annotationsOf = async (stage: Stage, path: string) =>
  (await stage.kube.get<{ metadata: { annotations?: Record<string, string> } }>(path)).metadata.annotations ?? {}
