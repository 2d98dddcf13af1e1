import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { kubeletDocument } from '../../../src/agent/kubelet/kubelet-document.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

test("kubelet document in mode overlay is the machine's with Git's fields over it", () => {
  const local = bytes(
    'evictionHard: {memory.available: 1Gi, nodefs.available: 5%}\nclusterDNS: [10.0.0.1, 10.0.0.2]\nmaxPods: 110\n',
  )
  const wanted = 'evictionHard: {memory.available: 2Gi}\nclusterDNS: [10.0.0.3]\nmaxPods: null\n'

  expect(parse(kubeletDocument(wanted, { mode: 'overlay', local }).text)).toEqual({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    evictionHard: { 'memory.available': '2Gi', 'nodefs.available': '5%' },
    clusterDNS: ['10.0.0.3'],
  })
})

test("kubelet document in mode full is Git's alone", () => {
  const made = kubeletDocument('{"maxPods": 9}', { mode: 'full', local: bytes('clusterDomain: a\n') })

  expect(made.text).toBe('apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 9\n')
})

test.each([
  ['is no mapping', '- a\n', 'it is no mapping'],
  ['is another kind', 'kind: Pod\n', 'kind is "Pod", expected "KubeletConfiguration"'],
  ['is of another version', 'apiVersion: v1\n', 'apiVersion is "v1", expected "kubelet.config.k8s.io/v1beta1"'],
  ['is no YAML', 'a: [\n', 'failed to load config: read the kubelet configuration of the ConfigMap: '],
])('kubelet document is refused when the text %s', (_, text, message) => {
  expect(() => kubeletDocument(text, { mode: 'full', local: undefined })).toThrow(message)
})

test('kubelet document is refused when the machine has one that cannot be merged with', () => {
  expect(() => kubeletDocument('maxPods: 1\n', { mode: 'overlay', local: bytes('a: [') })).toThrow(
    'failed to load config: read the local kubelet configuration: ',
  )
})

test('integers that no number can hold are written as they were read', () => {
  const local = Buffer.from('kind: KubeletConfiguration\npodPidsLimit: 9007199254740993\nmaxOpenFiles: 9223372036854775807\n')
  const { text } = kubeletDocument('maxPods: 5\nregistryPullQPS: 9007199254740995\n', { mode: 'overlay', local })

  expect(text).toContain(
    'podPidsLimit: 9007199254740993\nmaxOpenFiles: 9223372036854775807\nmaxPods: 5\nregistryPullQPS: 9007199254740995\n',
  )
})

test('a configuration is merged when it has 40,000 fields', () => {
  const text = Array.from({ length: 40_000 }, (_, n) => `k${n}: x\n`).join('')
  const { document } = kubeletDocument(text, { mode: 'overlay', local: Buffer.from(text) })
  expect(Object.keys(document)).toHaveLength(40_002)
})

test('a configuration is refused when it has a field twice', () => {
  const text = 'authentication:\n  webhook: {}\n  anonymous: {}\n  webhook: {}\n'
  expect(() => kubeletDocument(text, { mode: 'overlay', local: undefined })).toThrow(
    'read the kubelet configuration of the ConfigMap: "webhook" is defined twice',
  )
})
