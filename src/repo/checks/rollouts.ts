import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'
import { coverThePool, rolloutSettings } from '../rollout-settings.ts'
import type { Share } from '../schema/common.ts'
import type { FleetSpec } from '../schema/fleet.ts'
import type { GateSpec } from '../schema/gate.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import type { RolloutSpec } from '../schema/rollout.ts'

type Stating = Loaded<{ readonly rollout?: RolloutSpec; readonly maxUnavailable?: Share }>

/** What no single field shows to be wrong: status and gates know waves by their names. */
export function checkRollouts({ documents: { Fleet, NodePool } }: Draft): Problem[] {
  const [fleet] = Fleet.values()
  return [
    ...[...Fleet.values(), ...NodePool.values()].flatMap(statedBy),
    ...[...NodePool.values()].flatMap((pool) => [...gatesWithoutWave(pool, fleet), ...commandWithoutImage(pool, fleet)]),
  ]
}

/** What earlier versions accepted: a cluster goes on with such a commit, and takes no new one. */
export function checkNewRollouts({ documents: { Fleet, NodePool } }: Draft): Problem[] {
  return [...Fleet.values(), ...NodePool.values()].flatMap((document) => [
    ...(document.spec.rollout?.waves ?? []).flatMap((wave, index) => emptyWave(document, wave, index)),
    ...noTimeToApply(document),
  ])
}

function statedBy(document: Stating): Problem[] {
  const { waves = [], gates = [] } = document.spec.rollout ?? {}
  return [
    ...twice(document, { field: 'waves', what: 'wave', names: waves.map(({ name }) => name) }),
    ...twice(document, { field: 'gates', what: 'gate', names: gates.map(({ name }) => name) }),
    ...gates.flatMap((gate, index) => wrongGate(document, gate, index)),
    ...secondRest(document, waves),
    ...shortProof(document),
    ...noneUnavailable(document, ['rollout', 'maxUnavailable'], document.spec.rollout?.maxUnavailable),
    ...noneUnavailable(document, ['maxUnavailable'], document.spec.maxUnavailable),
  ]
}

/** Of a pool, or of the Fleet. */
function noneUnavailable(document: Stating, path: readonly string[], share: Share | undefined): Problem[] {
  if (share === undefined || ('count' in share ? share.count : share.percent) > 0) return []
  return [
    errorAt(document, path, {
      reason: 'InvalidValue',
      message: 'with a maxUnavailable of 0 no node could ever be changed',
      remedy: 'state at least 1; to stop rollouts, use nodewave pause, a manual wave or a window',
    }),
  ]
}

/** It would take one node, for a percentage that rounds to none does: not what it says. */
function emptyWave(document: Stating, { name, nodes }: NonNullable<RolloutSpec['waves']>[number], index: number): Problem[] {
  const size = 'count' in nodes ? nodes.count : 'percent' in nodes ? nodes.percent : 1
  if (size > 0) return []
  return [
    errorAt(document, ['rollout', 'waves', index, 'nodes'], {
      reason: 'InvalidValue',
      message: `expected a wave of at least 1 node; wave "${name}" has 0`,
      remedy: 'state at least 1, or remove the wave',
    }),
  ]
}

/** Every node would fail in the moment in which it is assigned. */
function noTimeToApply(document: Stating): Problem[] {
  return (['applyTimeout', 'agentTimeout'] as const).flatMap((field) =>
    document.spec.rollout?.[field] === 0
      ? [
          errorAt(document, ['rollout', field], {
            reason: 'InvalidValue',
            message: `with an ${field} of 0s every node would fail at once`,
            remedy: 'state a time in which a node can apply a change, such as 10m',
          }),
        ]
      : [],
  )
}

function twice(
  document: Stating,
  { field, what, names }: { readonly field: string; readonly what: string; readonly names: readonly string[] },
): Problem[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          errorAt(document, ['rollout', field, index, 'name'], {
            reason: 'DuplicateName',
            message: `a second ${what} named "${name}"`,
          }),
        ],
  )
}

const KINDS = ['nodeConditions', 'prometheus', 'job', 'workloads'] as const

function wrongGate(document: Stating, gate: GateSpec, index: number): Problem[] {
  const path = ['rollout', 'gates', index]
  const stated = KINDS.filter((kind) => gate[kind] !== undefined)
  const { prometheus, nodeConditions, interval = 1000 } = gate
  const wrong = (message: string, at: readonly (string | number)[] = path) =>
    errorAt(document, at, { reason: 'InvalidValue', message })
  return [
    ...(stated.length === 1
      ? []
      : [wrong(`gate "${gate.name}" states ${stated.join(' and ') || 'nothing'}; expected one of ${KINDS.join(', ')}`)]),
    ...(prometheus && prometheus.min === undefined && prometheus.max === undefined
      ? [wrong('expected min, max or both: without them every value passes', [...path, 'prometheus'])]
      : []),
    ...(nodeConditions && !nodeConditions.require?.length && !nodeConditions.forbid?.length
      ? [wrong('expected require, forbid or both: without them every node passes', [...path, 'nodeConditions'])]
      : []),
    ...(interval < 1000 ? [wrong('expected an interval of at least "1s"', [...path, 'interval'])] : []),
  ]
}

/** A pod takes some seconds to start on a node that is well. */
function shortProof(document: Stating): Problem[] {
  const { timeout = SHORTEST_PROOF } = document.spec.rollout?.proof?.pod ?? {}
  if (timeout >= SHORTEST_PROOF) return []
  const message = 'expected a timeout of at least "5s"'
  return [errorAt(document, ['rollout', 'proof', 'pod', 'timeout'], { reason: 'InvalidValue', message })]
}

const SHORTEST_PROOF = 5000

/** A pause image has nothing that could be run but itself. */
function commandWithoutImage(pool: Loaded<NodePoolSpec>, fleet: Loaded<FleetSpec> | undefined): Problem[] {
  const { command, image } = rolloutSettings(fleet?.spec ?? {}, pool.spec).proof
  if (command === undefined || image !== undefined) return []
  const isOwn = pool.spec.rollout?.proof?.pod?.command !== undefined
  return [
    errorAt(isOwn ? pool : (fleet ?? pool), ['rollout', 'proof', 'pod', 'command'], {
      reason: 'InvalidValue',
      message: 'a command needs an image: a pause image has no other program',
      remedy: 'state rollout.proof.pod.image',
    }),
  ]
}

/** Unless the waves cover the pool, one of this name is put behind them. */
function secondRest(document: Stating, waves: NonNullable<RolloutSpec['waves']>): Problem[] {
  const index = waves.findIndex(({ name }) => name === 'rest')
  if (index === -1 || coverThePool(waves)) return []
  const message = 'the percentages of the waves do not reach 100%, so another wave "rest" follows; this one has the same name'
  const remedy = 'write nodes: 100% in the last wave, or choose another name for this one'
  return [errorAt(document, ['rollout', 'waves', index, 'name'], { reason: 'DuplicateName', message, remedy })]
}

/** A gate after a wave that there is not would never be asked. */
function gatesWithoutWave(pool: Loaded<NodePoolSpec>, fleet: Loaded<FleetSpec> | undefined): Problem[] {
  const { waves, gates } = rolloutSettings(fleet?.spec ?? {}, pool.spec)
  const names = [...waves.map(({ name }) => name), ...(coverThePool(waves) ? [] : ['rest'])]
  const own = pool.spec.rollout?.gates !== undefined
  return gates.flatMap(({ name, after = [] }, index) =>
    after.flatMap((wave, place) =>
      names.includes(wave)
        ? []
        : [
            errorAt(pool, own ? ['rollout', 'gates', index, 'after', place] : [], {
              reason: 'MissingReference',
              message: `gate "${name}"${own ? '' : ' of the Fleet'} names the wave "${wave}" in after, and the pool has no such wave`,
              remedy: `its waves: ${names.join(', ')}`,
            }),
          ],
    ),
  )
}
