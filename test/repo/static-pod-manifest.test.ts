import { expect, test } from 'vitest'
import { readStaticPod } from '../../src/repo/static-pod-manifest.ts'

const PATH = '/etc/kubernetes/manifests/dns.yaml'

/** The digest differs with every manifest. */
function textOf(source: string): string {
  const { text, digest } = readStaticPod(source, PATH)
  return text.replaceAll(digest, 'DIGEST')
}

test('a manifest gets the annotation, and stays as it is otherwise', () => {
  const source = `apiVersion: v1 # of all
metadata:
  # whose it is
  name: dns   # ours
  namespace: kube-system
spec: {volumes: [{name: a, hostPath: {path: /a, mode: 0644}}]}
`
  expect(textOf(source)).toBe(source.replace('  name:', '  annotations: {"nodewave.io/static-pod": "DIGEST"}\n  name:'))
})

test.each([
  [
    'a block of annotations',
    'metadata:\n  name: dns\n  annotations:\n    a: b\n',
    'metadata:\n  name: dns\n  annotations:\n    nodewave.io/static-pod: "DIGEST"\n    a: b\n',
  ],
  [
    'annotations in braces',
    'metadata:\n  name: dns\n  annotations: {a: b}\n',
    'metadata:\n  name: dns\n  annotations: {"nodewave.io/static-pod": "DIGEST", a: b}\n',
  ],
  [
    'empty braces',
    'metadata:\n  name: dns\n  annotations: {}\n',
    'metadata:\n  name: dns\n  annotations: {"nodewave.io/static-pod": "DIGEST"}\n',
  ],
  ['JSON', '{"metadata": {"name": "dns"}}', '{"metadata": {"annotations": {"nodewave.io/static-pod": "DIGEST"}, "name": "dns"}}'],
  [
    'JSON over lines',
    '{\n  "metadata": {\n    "annotations": {\n      "a": "b"\n    },\n    "name": "dns"\n  }\n}\n',
    '{\n  "metadata": {\n    "annotations": {"nodewave.io/static-pod": "DIGEST", \n      "a": "b"\n    },\n    "name": "dns"\n  }\n}\n',
  ],
  [
    'lines that end as on Windows',
    'metadata:\r\n  name: dns\r\n',
    'metadata:\r\n  annotations: {"nodewave.io/static-pod": "DIGEST"}\n  name: dns\r\n',
  ],
  [
    'a marker of a document',
    '---\nmetadata:\n  name: dns\n...\n',
    '---\nmetadata:\n  annotations: {"nodewave.io/static-pod": "DIGEST"}\n  name: dns\n...\n',
  ],
])('a manifest with %s gets the annotation', (_, source, expected) => {
  expect(textOf(source)).toBe(expected)
})

test('a manifest that says the same in another layout has the same digest, and one with another number has not', () => {
  const digestOf = (source: string) => readStaticPod(source, PATH).digest
  const first = digestOf('metadata: {name: dns}\nspec: {mode: 0644}\n')

  expect(digestOf('# dns\nspec:\n  mode: 0644\nmetadata:\n  name: dns # ours\n')).toBe(first)
  expect(digestOf('metadata: {name: dns}\nspec: {mode: 644}\n')).not.toBe(first)
})

test.each([
  ['a number that becomes text', 'port: 80', 'port: "80"'],
  ['text that becomes a number', "value: '80'", 'value: 80'],
  ['a boolean that becomes text', 'hostNetwork: true', 'hostNetwork: "true"'],
  ['another tag', 'value: !!int 80', 'value: !!str 80'],
  ['another key', 'on: a', '"on": a'],
  ['an anchor whose value becomes text', '{a: &x 80, b: *x}', '{a: &x "80", b: *x}'],
])('a manifest with %s has another digest: the mirror pod of the one before does not prove it', (_, before, after) => {
  const digestOf = (spec: string) => readStaticPod(`metadata: {name: dns}\nspec:\n  ${spec}\n`, PATH).digest

  expect(digestOf(after)).not.toBe(digestOf(before))
})

test('a manifest that moves has another digest', () => {
  const { digest } = readStaticPod('metadata: {name: dns}\n', PATH)

  expect(readStaticPod('metadata: {name: dns}\n', '/srv/pods/dns.yaml').digest).not.toBe(digest)
})

test('a manifest without a namespace is in the one named default, as for the kubelet', () => {
  expect(readStaticPod('metadata: {name: dns}\n', PATH)).toMatchObject({ namespace: 'default', name: 'dns' })
})
