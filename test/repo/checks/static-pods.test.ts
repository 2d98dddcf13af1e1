import { expect, test } from 'vitest'
import { aDocument, modelOf, problemsOf } from '../fleets.ts'

const PATH = '/etc/kubernetes/manifests/dns.yaml'
const POD = `apiVersion: v1
kind: Pod
metadata:
  name: dns
  namespace: kube-system
spec:
  hostNetwork: true
  containers:
    - name: dns
      image: registry.example/dns:1
`

const profile = (pods: readonly object[], files: Readonly<Record<string, string>> = {}) =>
  problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: ${JSON.stringify({ staticPods: pods })}\n`), ...files })
const fromFile = (manifest: string) => profile([{ path: PATH, from: 'pods/dns.yaml' }], { 'pods/dns.yaml': manifest })

test('a static pod is part of a profile, also from a file', () => {
  expect(profile([{ path: PATH, content: POD, readyTimeout: '90s' }])).toEqual([])
  expect(fromFile(POD)).toEqual([])
  const spec = `spec: {staticPods: [{path: ${PATH}, from: pods/dns.yaml}]}\n`
  const files = { 'h.yaml': aDocument('HostProfile', 'h', spec), 'pods/dns.yaml': POD }
  expect([...modelOf(files).attachments.keys()]).toEqual(['pods/dns.yaml'])
})

test('a static pod is checked when it has 45,000 annotations', () => {
  const annotations = Array.from({ length: 45_000 }, (_, n) => `k${n}: x`).join(', ')
  expect(fromFile(POD.replace('metadata:', `metadata:\n  annotations: {${annotations}}`))).toEqual([])
})

test.each([
  ['another kind', POD.replace('kind: Pod', 'kind: Deployment'), 'pods/dns.yaml:2:7', 'expected kind: Pod'],
  ['another version', POD.replace('v1', 'v2'), 'pods/dns.yaml:1:13', 'expected apiVersion: v1'],
  ['no name', POD.replace('  name: dns\n', ''), 'pods/dns.yaml:3:1', 'expected metadata.name'],
  ['a name that is none', POD.replace('name: dns', 'name: DNS'), 'pods/dns.yaml:4:9', 'expected metadata.name'],
  ['a name with two dots', POD.replace('name: dns', 'name: a..b'), 'pods/dns.yaml:4:9', 'expected metadata.name'],
  ['an anchor where the annotation goes', POD.replace('name: dns', '&n name: dns'), 'pods/dns.yaml:3:1', 'without an anchor'],
  ['a uid', POD.replace('metadata:', 'metadata:\n  uid: 1-2'), 'pods/dns.yaml:4:8', 'expected no uid'],
  ['a merge', POD.replace('metadata:', 'metadata:\n  <<: {namespace: a}'), 'pods/dns.yaml:4:3', 'and no merge'],
  [
    'what the kubelet writes on mirror pods',
    POD.replace('metadata:', 'metadata:\n  annotations: {kubernetes.io/config.mirror: x}'),
    ':4:46',
    'a pod read from the API is no manifest',
  ],
  ['a namespace that is none', POD.replace('kube-system', '../x'), 'pods/dns.yaml:5:14', 'expected the name of a namespace'],
  ['no image', POD.replace(/ +image.*\n/, ''), 'pods/dns.yaml:9:7', 'expected the image of the container'],
  ['no containers', POD.replace(/ +containers[\s\S]*/, ''), 'pods/dns.yaml:6:1', 'expected spec.containers'],
  ['an end', `${POD}  restartPolicy: Never\n`, 'pods/dns.yaml:11:18', 'expected restartPolicy: Always'],
  ['a service account', `${POD}  serviceAccountName: dns\n`, 'pods/dns.yaml:11:23', 'cannot use objects of the API'],
  ['a ConfigMap', `${POD}  volumes: [{name: a, configMap: {name: a}}]\n`, 'pods/dns.yaml:11:23', 'configMap: a static pod'],
  ['a Secret', `${POD}      envFrom: [{secretRef: {name: a}}]\n`, 'pods/dns.yaml:11:18', 'secretRef: a static pod'],
  [
    'the value of a Secret',
    `${POD}      env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b}}}]\n`,
    'pods/dns.yaml:11:35',
    'secretKeyRef: a static pod',
  ],
  [
    'the annotation',
    POD.replace('metadata:', 'metadata:\n  annotations: {nodewave.io/static-pod: x}'),
    ':4:41',
    'nodewave writes',
  ],
  ['no annotations', POD.replace('metadata:', 'metadata:\n  annotations:'), ':4:3', 'expected a map of annotations'],
  ['two documents', `${POD}---\n${POD}`, 'pods/dns.yaml:12:1', 'expected one Pod'],
  ['no YAML', `${POD} x`, 'pods/dns.yaml:', 'static pod: '],
  ['nothing in it', '', 'pods/dns.yaml:1:1', 'expected a Pod'],
  ['a list', '- a\n', 'pods/dns.yaml:1:', 'expected a Pod'],
])('a static pod with %s is refused where it stands', (_, manifest, at, message) => {
  const [first = ''] = fromFile(manifest)
  expect(first).toContain(at)
  expect(first).toContain(message)
})

test('a static pod that stands in the profile is refused with its line', () => {
  const [first = ''] = profile([{ path: PATH, content: POD.replace('kind: Pod', 'kind: Job') }])
  expect(first).toContain('static pod, line 2: expected kind: Pod')
})

test.each([
  [
    'that kubeadm writes',
    { path: '/etc/kubernetes/manifests/kube-apiserver.yaml', content: POD },
    'kubeadm writes this manifest',
  ],
  [
    'that the kubelet leaves out',
    { path: '/etc/kubernetes/manifests/.dns.yaml', content: POD },
    'expected a file that ends with',
  ],
  ['that the repository does not have', { path: PATH, from: 'pods/x.yaml' }, 'the repository has no file "pods/x.yaml"'],
  ['of two sources', { path: PATH, content: POD, from: 'pods/x.yaml' }, 'expected one of content and from'],
  ['with too much time', { path: PATH, content: POD, readyTimeout: '1h' }, 'expected 1s to 5m'],
])('a static pod %s is refused', (_, pod, message) => {
  expect(profile([pod])[0]).toContain(message)
})

test('two static pods of one path are refused', () => {
  const pod = { path: PATH, content: POD }
  expect(profile([pod, pod])[0]).toContain(`file ${PATH} is defined twice`)
})

test('two static pods of one name are refused', () => {
  const other = { path: '/etc/kubernetes/manifests/other.yaml', content: POD }
  expect(profile([{ path: PATH, content: POD }, other])[0]).toContain('static pod "kube-system/dns" is defined twice')
})

test('static pods of one name in two profiles are refused where a pool has both', () => {
  const pods = (path: string) => `spec: ${JSON.stringify({ staticPods: [{ path, content: POD }] })}\n`
  const files = {
    'a.yaml': aDocument('HostProfile', 'a', pods('/etc/kubernetes/manifests/a.yaml')),
    'b.yaml': aDocument('HostProfile', 'b', pods('/etc/kubernetes/manifests/b.yaml')),
  }
  const pool = (profiles: string) =>
    aDocument('NodePool', 'p', `spec:\n  nodeSelector: {matchLabels: {a: b}}\n  hostProfiles: ${profiles}\n`)

  expect(problemsOf({ ...files, 'p.yaml': pool('[a]') })).toEqual([])
  expect(problemsOf({ ...files, 'p.yaml': pool('[a, b]') })[0]).toContain(
    'static pod "kube-system/dns" is defined twice; the other is in a.yaml:',
  )
})
