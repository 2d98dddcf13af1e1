import { expect, test } from 'vitest'
import { KINDS } from '../../../src/repo/kinds.ts'
import { aDocument, problemsOf } from '../fleets.ts'

function specOf(spec: object) {
  return KINDS.HostProfile.parse({ apiVersion: 'nodewave.io/v1alpha1', kind: 'HostProfile', metadata: { name: 'h' }, spec }).spec
}

test('containerd by package becomes a held package, its configuration, registries, and a unit that restarts on them', () => {
  const containerd = {
    version: '2.1.4-1',
    package: 'containerd.io',
    configFrom: 'hosts/files/config.toml',
    registries: {
      'docker.io': { server: 'https://registry-1.docker.io', mirrors: ['https://mirror.example'], ca: '/etc/ssl/m.pem' },
    },
  }
  expect(specOf({ files: [{ path: '/etc/motd', content: 'x' }], runtime: { containerd } })).toEqual({
    files: [
      { path: '/etc/motd', content: 'x' },
      { path: '/etc/containerd/config.toml', from: 'hosts/files/config.toml' },
      {
        path: '/etc/containerd/certs.d/docker.io/hosts.toml',
        content:
          'server = "https://registry-1.docker.io"\n\n[host."https://mirror.example"]\n  capabilities = ["pull", "resolve"]\n  ca = "/etc/ssl/m.pem"\n',
      },
    ],
    packages: [{ name: 'containerd.io', version: '2.1.4-1', hold: true }],
    units: [
      {
        name: 'containerd.service',
        enabled: true,
        state: 'running',
        restartOn: ['package:containerd.io', '/etc/containerd/config.toml'],
      },
    ],
  })
})

test('containerd by archive comes with its unit, and restarts on its binary', () => {
  const archive = { url: 'https://dl.test/containerd-{{arch}}.tar.gz', sha256: 'a'.repeat(64) }
  const { archives, units, packages } = specOf({ runtime: { containerd: { archive } } })

  expect(archives).toEqual([{ name: 'containerd', ...archive, directory: '/usr/local' }])
  expect(units).toMatchObject([{ name: 'containerd.service', restartOn: ['/usr/local/bin/containerd'] }])
  expect(units?.[0]?.content).toContain('ExecStart=/usr/local/bin/containerd\n')
  expect(packages).toBeUndefined()
})

test('registry that stands for all others has no server of its own', () => {
  const containerd = { registries: { _default: { mirrors: ['https://mirror.example'] } } }
  expect(specOf({ runtime: { containerd } }).files).toEqual([
    {
      path: '/etc/containerd/certs.d/_default/hosts.toml',
      content: '[host."https://mirror.example"]\n  capabilities = ["pull", "resolve"]\n',
    },
  ])
})

test.each([
  [
    'a version and an archive',
    `version: "1", archive: {url: "https://x/", sha256: ${'a'.repeat(64)}}`,
    'expected one of version and archive',
  ],
  ['two configurations', 'config: "", configFrom: a.toml', 'expected one of config and configFrom'],
  ['a registry that is a path', 'registries: {"../x": {}}', 'expected a registry such as "docker.io"'],
  ['a mirror that ends its quotes', `registries: {docker.io: {mirrors: ['https://x"y']}}`, 'expected an http or https URL'],
])('containerd with %s is refused', (_, spec, message) => {
  const document = aDocument('HostProfile', 'h', `spec: {runtime: {containerd: {${spec}}}}\n`)
  expect(problemsOf({ 'h.yaml': document }).join('\n')).toContain(message)
})

test('containerd that a profile names as a runtime and as a unit is refused', () => {
  const spec = 'units: [{name: containerd.service, enabled: true}], runtime: {containerd: {version: "1"}}'
  const problems = problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: {${spec}}\n`) })
  expect(problems.join('\n')).toContain('unit containerd.service is defined twice')
})
