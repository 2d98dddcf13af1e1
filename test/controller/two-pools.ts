import { aFleet } from './a-fleet.ts'

const UNPROVED = 'proof: {pod: {mode: Never}}'

/** `first` has the nodes labelled `role: canary`, and `workers` waits for it. @param rollout of `first` */
export function twoPools(v: number, rollout = UNPROVED): Record<string, string> {
  const more = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: first}
spec:
  nodeSelector: {matchLabels: {role: canary}}
  kubelet: {flags: {v: ${v}}}
  rollout: {${rollout}}
`
  const files = aFleet({ v, rollout: UNPROVED, more })
  return { 'fleet.yaml': `${files['fleet.yaml']}`.replace('  rollout: {proof', '  dependsOn: [first]\n  rollout: {proof') }
}
