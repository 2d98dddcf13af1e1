/** Documents of a fleet with one pool, `workers`, of the nodes labelled `role: worker`. */
export function aFleet(
  options: {
    readonly v?: number
    readonly version?: string
    readonly rollout?: string
    readonly more?: string
    /** More of the Fleet's spec: `maxUnavailable: 1`. */
    readonly fleet?: string
  } = {},
): Record<string, string> {
  const { v = 2, version, rollout = 'maxUnavailable: 100%', more = '', fleet } = options
  return {
    'fleet.yaml': `
apiVersion: nodewave.io/v1alpha1
kind: Fleet
metadata: {name: fleet}
spec: {historyLimit: 3${fleet === undefined ? '' : `, ${fleet}`}}
---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: workers}
spec:
  nodeSelector: {matchLabels: {role: worker}}
  kubelet:
    ${version === undefined ? '' : `layout: env\n    version: "${version}"`}
    flags: {v: ${v}}
  rollout: {${rollout}}
${more}`,
  }
}
