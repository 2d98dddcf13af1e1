import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const flags = (spec: string) => problemsOf({ 'f.yaml': aDocument('FlagSet', 'f', `spec: {flags: {${spec}}}\n`) })
const config = (spec: string) => problemsOf({ 'c.yaml': aDocument('KubeletConfig', 'c', `spec: {config: {${spec}}}\n`) })
const ofOneNode = (spec: string) => problemsOf({ 'o.yaml': aDocument('NodeOverride', 'o', `spec: {node: n, ${spec}}\n`) })

test('hostname-override is refused with what it does, unless it is the name of the node itself', () => {
  expect(flags('hostname-override: wrong-name')).toEqual([
    `f.yaml:4:35  spec: {flags: {hostname-override: wrong-name}}
                                               ^^^^^^^^^^
  flag --hostname-override: "wrong-name" makes the kubelet report to another Node than its own
  take it out, or write "{{ node.name }}"; a Node is renamed by joining the machine again`,
  ])
  expect(flags('hostname-override: "{{ node.name }}"')).toEqual([])
  expect(flags('hostname-override: "{{ node.name }}-x"')).toHaveLength(1)
  expect(ofOneNode('flags: {hostname-override: other}')).toHaveLength(1)
})

test('a pool’s own flags are judged too', () => {
  const spec = 'spec: {nodeSelector: {matchLabels: {pool: p}}, kubelet: {flags: {hostname-override: x}}}\n'

  expect(problemsOf({ 'p.yaml': aDocument('NodePool', 'p', spec) })[0]).toContain('report to another Node')
})

test('node-ip is refused when it is no address, or the same one for many nodes', () => {
  expect(flags('node-ip: eth0')[0]).toContain('flag --node-ip: "eth0" is no IP address')
  expect(flags('node-ip: 10.0.0.400')).toHaveLength(1)
  expect(flags('node-ip: 10.0.0.4')[0]).toContain('would be the address of every node')
  expect(flags('node-ip: "{{ node.internalIP }}"')).toEqual([])
  expect(flags('node-ip: "::"')).toEqual([])
  expect(ofOneNode('flags: {node-ip: "10.0.0.4,fd00::4"}')).toEqual([])
})

test('what is one node’s own is refused where many would have it', () => {
  expect(flags('provider-id: aws:///x')[0]).toContain('would be that of every node')
  expect(config('providerID: aws:///x')[0]).toContain('would be that of every node')
  expect(ofOneNode('config: {providerID: aws:///x}')).toEqual([])
})

test('registerNode: false is refused, and so is a lease that is renewed too rarely', () => {
  expect(config('registerNode: false')[0]).toContain('could not join again')
  expect(flags('register-node: false')[0]).toContain('could not join again')
  expect(config('nodeLeaseDurationSeconds: 400')[0]).toContain('renews the lease every 100 s')
  expect(config('nodeLeaseDurationSeconds: 40')).toEqual([])
})

test('a status that is computed too rarely is refused', () => {
  expect(config('nodeStatusUpdateFrequency: 1h30m')[0]).toContain('for so long, the Node shows a condition such as Ready')
  expect(flags('node-status-update-frequency: 301s')[0]).toContain('write at most "5m"')
  expect(config('nodeStatusUpdateFrequency: 5m')).toEqual([])
})
