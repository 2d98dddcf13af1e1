import { expect, test } from 'vitest'
import { diffContent } from '../../src/render/diff-content.ts'

test('diffContent tells version, flags, fields and files, one change each', () => {
  const from = {
    version: '1.35.4',
    flags: "--v=2 '--x=a b'",
    config:
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 110\nevictionHard: {memory.available: 1Gi}\nclusterDNS: [a]\n',
    host: '{"kubelet":{"binary":{"amd64":{"url":"u1"}}},"files":[{"path":"/a","content":"1"},{"path":"/b","content":"1"}]}',
  }
  const to = {
    version: '1.36.3',
    flags: "'--x=a b'",
    opts: '--v=4',
    config:
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 250\nevictionHard: {nodefs.available: 5%}\nclusterDNS: [a, b]\n',
    host: '{"kubelet":{"binary":{"amd64":{"url":"u2"}}},"files":[{"path":"/b","content":"2"},{"path":"/c","content":"1","mode":"0600"}]}',
  }
  expect(diffContent(from, to).map(({ path, from, to }) => [path.join(' '), from, to])).toEqual([
    ['version', '1.35.4', '1.36.3'],
    ['flags v', '2', '4'],
    ['config clusterDNS', ['a'], ['a', 'b']],
    ['config evictionHard memory.available', '1Gi', undefined],
    ['config evictionHard nodefs.available', undefined, '5%'],
    ['config maxPods', 110, 250],
    ['host files /a content', '1', undefined],
    ['host files /a path', '/a', undefined],
    ['host files /b content', '1', '2'],
    ['host files /c content', undefined, '1'],
    ['host files /c mode', undefined, '0600'],
    ['host files /c path', undefined, '/c'],
  ])
})

test('diffContent takes a key that every object inherits for one that is not there', () => {
  const at = (labels: object) => ({ flags: "--node-labels='a=1'", host: JSON.stringify({ node: { labels } }) })
  const to = { ...at({ a: '1', constructor: 'x' }), flags: "--node-labels='a=1,toString=x'" }
  expect(diffContent(at({ a: '1' }), to)).toEqual([
    { path: ['flags', 'node-labels', 'toString'], from: undefined, to: 'x' },
    { path: ['host', 'node', 'labels', 'constructor'], from: undefined, to: 'x' },
  ])
})

test('diffContent tells of a changed binary when the version stays', () => {
  const at = (sha256: string) => ({ version: '1.36.3', host: JSON.stringify({ kubelet: { binary: { amd64: { sha256 } } } }) })
  expect(diffContent(at('a'), at('b'))).toEqual([{ path: ['host', 'kubelet', 'binary', 'amd64', 'sha256'], from: 'a', to: 'b' }])
})

test('diffContent is empty when only layout and order differ', () => {
  const a = { flags: '--a=1 --b=2', config: 'a: 1\nb: {c: 2}\n', host: '{"files":[{"path":"/a"},{"path":"/b"}]}' }
  const b = { flags: '--b=2', opts: '--a=1', config: 'b:\n  c: 2\na: 1\n', host: '{"files":[{"path":"/b"},{"path":"/a"}]}' }
  expect(diffContent(a, b)).toEqual([])
})

test('diffContent tells an empty object from none', () => {
  expect(diffContent({}, { config: 'authentication: {}' })).toEqual([
    { path: ['config', 'authentication'], from: undefined, to: {} },
  ])
})

test('diffContent tells the keys of a map-valued flag that change, and nothing of the others', () => {
  const from = { flags: '--node-labels=rack=r1,tier=web --register-with-taints=a=b:NoSchedule --feature-gates=X=true' }
  const to = { opts: '--node-labels=rack=r2,tier=web,zone=z --register-with-taints=a=c:NoSchedule' }
  expect(diffContent(from, to)).toEqual([
    { path: ['flags', 'feature-gates', 'X'], from: 'true', to: undefined },
    { path: ['flags', 'node-labels', 'rack'], from: 'r1', to: 'r2' },
    { path: ['flags', 'node-labels', 'zone'], from: undefined, to: 'z' },
    { path: ['flags', 'register-with-taints', 'a:NoSchedule'], from: 'b', to: 'c' },
  ])
})

test('diffContent tells a map-valued flag whole when only its order changes, or it is no map', () => {
  const flag = (value: string) => ({ flags: `--node-labels=${value}` })
  expect(diffContent(flag('a=1,b=2'), flag('b=2,a=1'))).toEqual([
    { path: ['flags', 'node-labels'], from: 'a=1,b=2', to: 'b=2,a=1' },
  ])
  expect(diffContent(flag('a=1'), flag('none'))).toEqual([{ path: ['flags', 'node-labels'], from: 'a=1', to: 'none' }])
})

test('contents are compared when a configuration has 40,000 fields', () => {
  const config = (first: string) => `a: ${first}\n${Array.from({ length: 40_000 }, (_, n) => `k${n}: x\n`).join('')}`
  expect(diffContent({ config: config('1') }, { config: config('2') })).toHaveLength(1)
})
