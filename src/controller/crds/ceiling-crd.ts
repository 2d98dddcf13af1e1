import { API_GROUP, API_VERSION } from '../../protocol/names.ts'
import { CEILING_NAME, ceilingSpec } from '../cache/ceiling-schema.ts'
import { structuralSchema } from './structural-schema.ts'

/** The CustomResourceDefinition of Ceiling; `deploy/crds/ceilings.yaml` is made from it. */
export function ceilingCrd(): Record<string, unknown> {
  const schema = {
    type: 'object',
    description: 'What an administrator of the cluster lets every commit do at most. Only the one of the name "fleet" counts.',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: structuralSchema(ceilingSpec),
    },
    'x-kubernetes-validations': [
      { rule: `self.metadata.name == '${CEILING_NAME}'`, message: `only the Ceiling of the name "${CEILING_NAME}" counts` },
    ],
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `ceilings.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      scope: 'Cluster',
      names: { kind: 'Ceiling', listKind: 'CeilingList', plural: 'ceilings', singular: 'ceiling' },
      versions: [{ name: API_VERSION, served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
}
