import { expect, test } from 'vitest'
import { parseHostDocument } from '../../src/protocol/host-document.ts'
import { disruptionBetween } from '../../src/render/disruption.ts'
import { aFleet, aNode, rendered, WORKERS } from './fleets.ts'

const pod = (image: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: dns}\nspec: {containers: [{name: a, image: ${image}}]}\n`

function contentWith(image: string, more = {}) {
  const staticPods = [{ path: '/etc/kubernetes/manifests/dns.yaml', content: pod(image), ...more }]
  const spec = JSON.stringify({ staticPods })
  return rendered(aFleet({ 'NodePool workers': `${WORKERS}\nhostProfiles: [base]`, 'HostProfile base': spec }), aNode('n1'))
    .content
}

test('a static pod is rendered with its name, the time it has, and the annotation that proves it', () => {
  const [found] = parseHostDocument(contentWith('dns:1', { readyTimeout: '90s' }).host ?? '').staticPods ?? []

  expect(found).toEqual({
    path: '/etc/kubernetes/manifests/dns.yaml',
    namespace: 'default',
    name: 'dns',
    digest: expect.stringMatching(/^[0-9a-f]{20}$/),
    content: expect.stringContaining(`{"annotations": {"nodewave.io/static-pod": "${found?.digest}"}, name: dns}`.slice(1, 60)),
    readySeconds: 90,
  })
})

test('another static pod disturbs as much as a restart, and needs no drain', () => {
  expect(disruptionBetween(contentWith('dns:1'), contentWith('dns:2'))).toEqual({
    disruption: 'restart',
    reasons: ['host.staticPods./etc/kubernetes/manifests/dns.yaml: the kubelet starts the pod again (restart)'],
  })
})
