import { expect, test } from 'vitest'
import { aFleet, aNode, rendered, WORKERS } from './fleets.ts'

const model = aFleet({
  'NodePool workers': `${WORKERS}\nhostProfiles: [net]`,
  'HostProfile net': 'sysctls: {net.ipv4.conf.all.rp_filter: 1, vm.swappiness: 10}',
  'NodeOverride one': 'node: n1\nsysctls: {net/ipv4/conf/all/rp_filter: 2, vm.max_map_count: 262144}',
})
const sysctlsOf = (name: string) => JSON.parse(rendered(model, aNode(name)).content.host ?? '{}').sysctls

test('sysctls of an override replace those of the same setting, however it is written, and others stay', () => {
  expect(sysctlsOf('n1')).toEqual({ 'net/ipv4/conf/all/rp_filter': '2', 'vm.max_map_count': '262144', 'vm.swappiness': '10' })
})

test('sysctls of an override are of no other node', () => {
  expect(sysctlsOf('n2')).toEqual({ 'net.ipv4.conf.all.rp_filter': '1', 'vm.swappiness': '10' })
})
