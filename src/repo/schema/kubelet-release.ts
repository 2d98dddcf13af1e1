import * as z from 'zod'
import { architecture, document, httpUrl, sha256, version } from './common.ts'

const urlTemplate = z.string().regex(/^https?:\/\/(?:[^\s{}]|\{\{[^{}]*\}\})+$/, 'expected an http or https URL')

const binary = z.strictObject({
  url: urlTemplate.describe('Where the kubelet binary is; {{version}} and {{arch}} are replaced.'),
  sha256: z
    .record(version, z.partialRecord(architecture, sha256))
    .describe('Checksum of the binary by version and architecture.'),
})

const packages = z.strictObject({
  repository: z.string().min(1).describe('Repository line or base URL; {{minor}} is replaced.'),
  key: httpUrl.exactOptional().describe('The key that signs the repository.'),
  package: z.string().min(1).describe('Name of the package, such as "kubelet".'),
  version: z.string().min(1).describe('Pattern of the package version, such as "{{version}}-1.1".'),
})

const kubeletReleaseSpec = z.strictObject({
  binary: binary.exactOptional().describe('The binary itself, by URL and checksum.'),
  apt: packages.exactOptional().describe('A Debian package.'),
  dnf: packages.exactOptional().describe('An RPM package.'),
})

export const kubeletRelease = document(
  'KubeletRelease',
  kubeletReleaseSpec.refine((spec) => Object.keys(spec).length > 0, 'expected one of binary, apt and dnf'),
).describe('How a kubelet version is obtained.')
export type KubeletReleaseSpec = z.infer<typeof kubeletReleaseSpec>
