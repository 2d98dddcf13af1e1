import { createHash } from 'node:crypto'
import type { KubeObject } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS, PROOF_KEYS, PROOF_NAMESPACE } from '../../protocol/names.ts'
import type { StartProof } from '../../rollout/model/decision.ts'

export const PROOF_PODS = `/api/v1/namespaces/${PROOF_NAMESPACE}/pods`
export const PROOF_EVENTS = `/api/v1/namespaces/${PROOF_NAMESPACE}/events`
export const OUR_PODS = `${OBJECT_KEYS.managedBy}=${MANAGER}`
export const CONTAINER = 'proof'

/** Where the claim is mounted. */
const VOLUME = 'proof'

/**
 * One a node: creating a second one fails, because it exists.
 * @param strangers uids of pods that have the name, and are not ours: every controller comes to the same next one
 */
export function proofPodName(node: string, strangers: readonly string[] = []): string {
  const hash = createHash('sha256').update([node, ...strangers].join('\n'))
  return `proof-${hash.digest('hex').slice(0, 16)}`
}

/** What nothing but the kubelet ends: when the controller is gone for good, the pod is too, some time later. */
const MARGIN = 10 * 60

/**
 * The pod is bound by its `nodeName`: no scheduler has to be well, and a cordon keeps it from nothing. It asks for no room, so that a node
 * whose CPU and memory are given away takes it. The node owns it, as a mirror pod: with the Node it goes, and a drain need not ask.
 * @param uid of the Node
 */
export function proofPod(
  { node, image, command, claim, digest, assignedAt, timeout, at }: StartProof['pod'],
  { name, uid }: { readonly name: string; readonly uid: string },
): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: PROOF_NAMESPACE,
      labels: { [OBJECT_KEYS.managedBy]: MANAGER, 'app.kubernetes.io/part-of': 'nodewave' },
      annotations: {
        [PROOF_KEYS.digest]: digest,
        [PROOF_KEYS.assignedAt]: new Date(assignedAt).toISOString(),
        [PROOF_KEYS.startedAt]: new Date(at).toISOString(),
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid, controller: true, blockOwnerDeletion: false }],
    },
    spec: {
      nodeName: node,
      restartPolicy: 'Never',
      activeDeadlineSeconds: Math.ceil(timeout / 1000) + MARGIN,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_534,
        runAsGroup: 65_534,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...(claim && { volumes: [{ name: VOLUME, persistentVolumeClaim: { claimName: claim } }] }),
      containers: [
        {
          name: CONTAINER,
          image,
          imagePullPolicy: 'IfNotPresent',
          ...(command && { command }),
          ...(claim && { volumeMounts: [{ name: VOLUME, mountPath: `/${VOLUME}` }] }),
          terminationMessagePolicy: 'FallbackToLogsOnError',
          resources: { requests: { cpu: '0', memory: '0' }, limits: { cpu: '200m', memory: '128Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    },
  }
}

/** The node that a pod of ours is bound to. */
export function nodeOfPod({ spec }: KubeObject): string {
  return (spec as { readonly nodeName?: string } | undefined)?.nodeName ?? ''
}
