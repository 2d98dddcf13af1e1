import { expect, test } from 'vitest'
import { nodeOfPod, proofPod, proofPodName } from '../../../src/controller/proof/proof-pod.ts'
import { noon } from '../../rollout/builders/instants.ts'

const asked = { node: 'n0', image: 'pause:3.10', digest: 'new', assignedAt: noon - 1_000, timeout: 1_500, at: noon } as never
const podOf = (more: object = {}) => proofPod({ ...(asked as object), ...more } as never, { name: 'proof-1', uid: 'u' })

test('a pod that proves a node may do nothing but run there', () => {
  expect(podOf()).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'proof-1',
      namespace: 'nodewave-proof',
      labels: { 'app.kubernetes.io/managed-by': 'nodewave', 'app.kubernetes.io/part-of': 'nodewave' },
      annotations: {
        'nodewave.io/digest': 'new',
        'nodewave.io/assigned-at': '2026-11-21T11:59:59.000Z',
        'nodewave.io/started-at': '2026-11-21T12:00:00.000Z',
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n0', uid: 'u', controller: true, blockOwnerDeletion: false }],
    },
    spec: {
      nodeName: 'n0',
      restartPolicy: 'Never',
      activeDeadlineSeconds: 602,
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
      containers: [
        {
          name: 'proof',
          image: 'pause:3.10',
          imagePullPolicy: 'IfNotPresent',
          terminationMessagePolicy: 'FallbackToLogsOnError',
          resources: { requests: { cpu: '0', memory: '0' }, limits: { cpu: '200m', memory: '128Mi' } },
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  })
})

test('a pod that proves a node runs the command of the policy, and mounts its claim', () => {
  expect(podOf({ command: ['true'], claim: 'data' })).toMatchObject({
    spec: {
      volumes: [{ name: 'proof', persistentVolumeClaim: { claimName: 'data' } }],
      containers: [{ command: ['true'], volumeMounts: [{ name: 'proof', mountPath: '/proof' }] }],
    },
  })
})

test('a node has one name for its pod, and another one beside pods of others', () => {
  expect(proofPodName('n0')).toBe(proofPodName('n0'))
  expect(proofPodName('n0')).toMatch(/^proof-[0-9a-f]{16}$/)
  expect(proofPodName('n1')).not.toBe(proofPodName('n0'))
  expect(proofPodName('n0', ['u1'])).not.toBe(proofPodName('n0'))
})

test('nodeOfPod tells the node that a pod is bound to, and of one without a node nothing', () => {
  expect(nodeOfPod({ metadata: { name: 'p' }, spec: { nodeName: 'n0' } })).toBe('n0')
  expect(nodeOfPod({ metadata: { name: 'p' } })).toBe('')
})
