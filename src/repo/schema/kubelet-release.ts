import * as z from 'zod'
import { architecture, document, sha256, version } from './common.ts'
import {
  aptRepositoryFields,
  COMPONENTS,
  hasComponents,
  hasOneKey,
  ONE_KEY,
  packageName,
  rpmRepositoryFields,
} from './packages.ts'

const urlTemplate = z.string().regex(/^https?:\/\/(?:[^\s{}]|\{\{[^{}]*\}\})+$/, 'expected an http or https URL')

const binary = z.strictObject({
  url: urlTemplate.describe('Where the kubelet binary is; {{version}} and {{arch}} are replaced.'),
  sha256: z
    .record(version, z.partialRecord(architecture, sha256))
    .describe('Checksum of the binary by version and architecture.'),
})

const packageFields = {
  url: urlTemplate.describe('Where the repository is; {{minor}} and {{version}} are replaced.'),
  package: packageName.exactOptional().describe('Name of the package. Default: kubelet.'),
  version: z
    .string()
    .regex(/^[^\s{}]*\{\{\s*version\s*\}\}[^\s{}]*$/, 'expected a pattern such as "{{version}}-1.1"')
    .describe('Version of the package, such as "{{version}}-1.1"; of an rpm with its release, such as "{{version}}-150500.1.1".'),
}

const apt = z
  .strictObject({ ...aptRepositoryFields, ...packageFields })
  .refine(hasOneKey, ONE_KEY)
  .refine(hasComponents, COMPONENTS)

const rpm = z.strictObject({ ...rpmRepositoryFields, ...packageFields }).refine(hasOneKey, ONE_KEY)

const kubeletReleaseSpec = z.strictObject({
  binary: binary.exactOptional().describe('The binary itself, by URL and checksum.'),
  apt: apt.exactOptional().describe('A Debian package, from its own repository.'),
  dnf: rpm.exactOptional().describe('An rpm package, from its own repository.'),
  zypper: rpm.exactOptional().describe('The same, where zypper manages packages.'),
})

export const kubeletRelease = document(
  'KubeletRelease',
  kubeletReleaseSpec.refine((spec) => Object.keys(spec).length === 1, 'expected one of binary, apt, dnf and zypper'),
).describe('How a kubelet version is obtained.')
export type KubeletReleaseSpec = z.infer<typeof kubeletReleaseSpec>
