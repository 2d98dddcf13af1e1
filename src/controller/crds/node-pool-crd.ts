import { API_GROUP, API_VERSION, NODEPOOLS } from '../../protocol/names.ts'
import { nodePool } from '../../repo/schema/node-pool.ts'
import { nodePoolStatus } from '../cache/node-pool-status.ts'
import { structuralSchema } from './structural-schema.ts'

/** The columns of `kubectl get nwp`; priority 1 shows with `-o wide`. */
const COLUMNS = [
  { name: 'Revision', type: 'string', jsonPath: '.status.summary.revision', description: 'The revision that nodes change to.' },
  { name: 'Wave', type: 'string', jsonPath: '.status.summary.wave' },
  { name: 'Updated', type: 'string', jsonPath: '.status.summary.updated', description: 'Nodes at the target, of all.' },
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Paused', type: 'string', jsonPath: '.status.summary.paused', description: 'Pool or Fleet, when that is paused.' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Stable', type: 'string', jsonPath: '.status.stable.revision', priority: 1 },
  { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
] as const

/** The CustomResourceDefinition of NodePool; `deploy/crds/nodepools.yaml` is made from it. */
export function nodePoolCrd(): Record<string, unknown> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${NODEPOOLS}.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      scope: 'Cluster',
      names: { kind: 'NodePool', listKind: 'NodePoolList', plural: NODEPOOLS, singular: 'nodepool', shortNames: ['nwp'] },
      versions: [
        {
          name: API_VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: COLUMNS,
          schema: { openAPIV3Schema: nodePoolSchema() },
        },
      ],
    },
  }
}

function nodePoolSchema(): object {
  return {
    type: 'object',
    description: 'The mirror of a pool of the fleet repository, written by the controller. Operators control it by annotations.',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: structuralSchema(nodePool.shape.spec),
      status: structuralSchema(nodePoolStatus),
    },
  }
}
