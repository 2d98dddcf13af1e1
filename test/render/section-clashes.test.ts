import { expect, test } from 'vitest'
import { checkModel } from '../../src/render/check-model.ts'
import { AUTHORITY } from '../repo/certificates.ts'
import { aFleet, aNode, refusals, rendered, WORKERS } from './fleets.ts'

const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: dns}\nspec: {containers: [{name: a, image: b}]}\n'
const KEY = "'-----BEGIN PGP PUBLIC KEY BLOCK-----'"
const profile = (spec: string) => aFleet({ 'NodePool workers': `${WORKERS}\nhostProfiles: [base]`, 'HostProfile base': spec })

test.each([
  [
    'swap and the file of swaps',
    'swap: off\nfiles: [{path: /etc/fstab, content: x}]',
    'file "/etc/fstab": it is written by swap',
  ],
  [
    'time.zone and its link',
    'time: {zone: Etc/UTC}\nlinks: [{path: /etc/localtime, target: /x}]',
    'link "/etc/localtime": it is written by time',
  ],
  [
    'time.ntp and its file',
    'time: {ntp: {servers: [a.example]}}\nfiles: [{path: /etc/systemd/timesyncd.conf.d/50-nodewave.conf, content: x}]',
    'file "/etc/systemd/timesyncd.conf.d/50-nodewave.conf": it is written by time',
  ],
  [
    'sshKeys and the file of the keys',
    'users: [{name: ops, sshKeys: [ssh-ed25519 AAAA]}]\nfiles: [{path: /etc/ssh/authorized_keys.d/ops, state: absent}]',
    'file "/etc/ssh/authorized_keys.d/ops": it is written by users',
  ],
  [
    'a certificate and its file on Debian',
    `certificates: [{name: corp, content: ${JSON.stringify(AUTHORITY)}}]\nfiles: [{path: /usr/local/share/ca-certificates/nodewave-corp.crt, content: x}]`,
    'file "/usr/local/share/ca-certificates/nodewave-corp.crt": it is written by certificates',
  ],
  [
    'a static pod and its manifest as a file',
    `staticPods: [{path: /etc/kubernetes/manifests/dns.yaml, content: ${JSON.stringify(POD)}}]\nedits: [{path: /etc/kubernetes/manifests/dns.yaml, lines: [a]}]`,
    'edit of "/etc/kubernetes/manifests/dns.yaml": it is written by staticPods',
  ],
  [
    'kernelModules and their file',
    'kernelModules: [br_netfilter]\nfiles: [{path: /etc/modules-load.d/nodewave.conf, content: x}]',
    'file "/etc/modules-load.d/nodewave.conf": it is written by kernelModules',
  ],
  [
    'a repository and its file',
    `repositories: [{name: r, apt: {url: "https://r.example", key: ${KEY}}}]\nfiles: [{path: /etc/apt/sources.list.d/nodewave-r.sources, content: x}]`,
    'file "/etc/apt/sources.list.d/nodewave-r.sources": it is written by repositories',
  ],
])('%s in one profile are refused', (_, spec, message) => {
  expect(refusals(profile(spec), aNode('n1'))).toEqual([
    expect.stringContaining(`${message} of HostProfile "base", too; take one of them out | HostProfile-base.yaml:6:`),
  ])
})

test('a section and a file of two profiles are refused with the places of both', () => {
  const model = aFleet({
    'NodePool workers': `${WORKERS}\nhostProfiles: [quiet, mounts]`,
    'HostProfile quiet': 'swap: off',
    'HostProfile mounts': 'files: [{path: /etc/fstab, content: x}]',
  })
  expect(refusals(model, aNode('n1'))).toEqual([
    'file "/etc/fstab": it is written by swap of HostProfile "quiet", too; take one of them out | HostProfile-mounts.yaml:5:18 | HostProfile-quiet.yaml:5:9',
  ])
  expect(checkModel(model)).toHaveLength(1)
})

test('a file of an override is refused on the nodes of a pool whose section writes it', () => {
  const model = aFleet({
    'NodePool workers': `${WORKERS}\nhostProfiles: [quiet]`,
    'HostProfile quiet': 'swap: off',
    'NodeOverride odd': 'node: n9\nfiles: [{path: /etc/fstab, content: x}]',
  })
  expect(refusals(model, aNode('n9'))).toEqual([
    expect.stringContaining('file "/etc/fstab": it is written by swap of HostProfile "quiet", too'),
  ])
  expect(rendered(model, aNode('n1')).ok).toBe(true)
})

test('sections that share a path with each other, and files beside them, are no clash', () => {
  const model = profile(
    'groups: [{name: ops}]\nusers: [{name: ops, groups: [wheel]}]\nkernelModules: [br_netfilter]\nfiles: [{path: /etc/motd, content: x}]',
  )
  expect(checkModel(model)).toEqual([])
})
