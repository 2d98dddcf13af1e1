import { KubeError } from '../kube/kube-api.ts'
import type { ClusterCache } from './cache/cluster-cache.ts'
import { refreshPool } from './cache/refresh-nodes.ts'
import type { ControllerParts } from './controller-parts.ts'
import { AssumedNodes } from './execution/assumed-nodes.ts'
import { clearControl } from './execution/clear-control.ts'
import { LostPayloads } from './execution/lost-payloads.ts'
import { NodeWrites } from './execution/node-writes.ts'
import { PayloadWrites } from './execution/payload-writes.ts'
import { PoolWrites } from './execution/pool-writes.ts'
import { QueueWaits } from './execution/queue-waits.ts'
import { UnkeptProofs } from './execution/unkept-proofs.ts'
import { UnmarkedCordons } from './execution/unmarked-cordons.ts'
import { WriteQueue } from './execution/write-queue.ts'
import { PoolMirror } from './node-pools/mirror-pools.ts'
import type { PayloadAccess } from './payload-access/payload-access.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { ProofWrites } from './proof/proof-writes.ts'
import { ClusterJournal } from './status/cluster-journal.ts'
import { ConfirmedSteps } from './status/confirmed-steps.ts'
import { StatusWriter } from './status/status-writer.ts'
import { BackgroundWrites } from './writes/background-writes.ts'
import { isPoolPart, nodeKey, WriteFailures, type WrittenObject, writtenObject } from './writes/write-failures.ts'

export interface WritesOptions extends Pick<ControllerParts, 'drains' | 'gates' | 'rejections' | 'events' | 'proofs' | 'limits'> {
  readonly access: PayloadAccess | undefined
  readonly ports: ControllerPorts
  readonly settings: ControllerSettings
  readonly cluster: ClusterCache
  readonly changed: () => void
}

type Writes = Pick<
  ControllerParts,
  | 'assumed'
  | 'cordons'
  | 'lostPayloads'
  | 'unkeptProofs'
  | 'failures'
  | 'mirror'
  | 'journal'
  | 'poolWrites'
  | 'proofWrites'
  | 'background'
  | 'end'
>

/** Everything that decisions are carried out with. */
export function assembleWrites({ ports, settings, cluster, changed, ...parts }: WritesOptions): Writes {
  const { kube, clock, log, signer, telemetry } = ports
  const now = (): number => clock.now()
  const [queue, failures] = [new WriteQueue(), new WriteFailures()]
  const assumed = new AssumedNodes((node) => failures.ended(nodeKey(node)))
  const failed = (object: WrittenObject, error: unknown): void => {
    if (isDecidedAgain(error)) return
    const { until } = failures.failed(object, { error, about: uidOf(object, cluster.pools), now: now() })
    log('warn', `write ${object}: ${(error as Error).message}; again in ${until - now()} ms`, detailsOf(error))
    changed()
  }
  const mirror = new PoolMirror({ kube, pools: cluster.pools })
  const statuses = new StatusWriter({ kube, pools: cluster.pools, countsEvery: settings.countsEvery })
  const steps = new ConfirmedSteps({ refresh: (pool) => refreshPool(pool, settings.names, { kube, cluster }), now })
  const journal = new ClusterJournal({ pools: cluster.pools, mirror, statuses, steps, failures, ...parts })
  const store = { kube, namespace: settings.namespace, configMaps: cluster.payloads }
  const secrets = { ...store, configMaps: cluster.secrets, kind: 'Secret' } as const
  const payloads = new PayloadWrites({ store, secrets: settings.secrets ? secrets : undefined, failures, now })
  const { drains } = parts
  const lostPayloads = new LostPayloads({ payloads, access: parts.access, cluster, failures, now })
  const [cordons, unkeptProofs] = [new UnmarkedCordons({ kube, log, settings, cluster }), new UnkeptProofs()]
  const nodeWrites = new NodeWrites({
    kube,
    clock,
    log,
    settings,
    cluster,
    ...{ drains, answers: drains.answers },
    queue,
    waits: telemetry && new QueueWaits({ elapsed: () => clock.elapsed(), sent: telemetry.writeSent }),
    assumed,
    failures,
    payloads,
    ...{ cordons, unkeptProofs },
    signer,
    access: parts.access,
    limits: parts.limits,
  })
  const background = new BackgroundWrites({ failures, now, failed, changed })
  const proofWrites = new ProofWrites({ kube, nodes: cluster.nodes, background, log, made: (pod) => parts.proofs.made(pod) })
  const poolWrites = new PoolWrites({
    ...{ journal, nodeWrites, failures, now, changed, actionsAPass: settings.actionsAPass },
    askGate: (pool, action) => parts.gates.ask(pool, action),
    prove: (action) => {
      // What a pod has shown is noted when the write has arrived: until then the pod stays.
      const node = action.kind === 'removeProof' ? parts.proofs.nodeOf(action.pod.uid) : undefined
      if (node === undefined || !assumed.has(node)) proofWrites.begin(action)
    },
    clearControl: (pool, action) => clearControl({ kube, pools: cluster.pools }, { pool, ...action }),
    failed,
  })
  const end = async (): Promise<void> => {
    await Promise.all([poolWrites.end(), background.end(), queue.end()])
  }
  return { assumed, cordons, lostPayloads, unkeptProofs, failures, mirror, journal, poolWrites, proofWrites, background, end }
}

/** Another NodePool with the name of one that is gone has another uid. */
function uidOf(object: WrittenObject, pools: ClusterCache['pools']): string {
  const { kind, name } = writtenObject(object)
  return isPoolPart(kind) ? (pools.get(name)?.uid ?? '') : ''
}

/** A conflict is no failure: as soon as the newer version is here, it is decided again. A list that has expired (410) brings nothing newer. */
function isDecidedAgain(error: unknown): boolean {
  return error instanceof KubeError && error.reaction === 'conflict' && error.code !== 410
}

/** A failure that is not the server's is a mistake of ours: then the stack is wanted. */
function detailsOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof KubeError ? { reason: error.reason, code: error.code } : { stack: (error as Error).stack }
}
