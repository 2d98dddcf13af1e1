import type { FlagValue } from '../schema/common.ts'
import { LABEL_KEY, LABEL_VALUE } from '../schema/values.ts'
import type { KnowledgeFinding } from './finding.ts'

/** What a kubelet may say of itself in the namespaces of Kubernetes; with anything else there it does not start. */
const NAMESPACES = /(?:^|\.)(?:kubelet|node)\.kubernetes\.io$/
const KEYS = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]
const RESERVED = /(?:^|\.)(?:kubernetes|k8s)\.io$/

/** The labels of `--node-labels`, written as a map or as `a=b,c=d`. */
export function nodeLabelFindings(value: FlagValue): KnowledgeFinding[] {
  const isMap = typeof value === 'object' && !Array.isArray(value)
  const labels = isMap
    ? Object.entries(value)
    : (Array.isArray(value) ? value : String(value).split(',')).map((pair) => split(String(pair)))
  return labels.flatMap(([key, text]) => findingOf(key.trim(), String(text), isMap ? ['node-labels', key] : ['node-labels']))
}

function split(pair: string): readonly [string, string] {
  const at = pair.indexOf('=')
  return at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
}

function findingOf(key: string, value: string, path: readonly string[]): KnowledgeFinding[] {
  // What has a comma in it cannot be written at all, as the renderer says.
  if (key === '' || /\{\{|,/.test(`${key}${value}`)) return []
  if (!LABEL_KEY.test(key) || !LABEL_VALUE.test(value))
    return [{ path, reason: 'InvalidValue', part: 'value', message: `"${key}=${value}" is not a label of Kubernetes` }]
  const namespace = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
  if (!RESERVED.test(namespace) || NAMESPACES.test(namespace) || KEYS.includes(key)) return []
  const message = `a kubelet does not start with "${key}" in --node-labels: it may not give itself labels of "${namespace}"`
  const remedy = 'set it under labels of the pool, where the controller writes it, or use node.kubernetes.io/'
  return [{ path, reason: 'InvalidValue', part: 'value', message, remedy }]
}
