import * as z from 'zod'
import { name, relativePath } from './common.ts'

const oneLine = z.string().regex(/^[^\0\n\r]+$/, 'expected one line')

export const packageName = z
  .string()
  .regex(
    /^(?!.*\.(?:x86_64|aarch64|noarch)$)[A-Za-z0-9][A-Za-z0-9+._-]{0,120}$/,
    "expected the name of a package, without the machine's own architecture; only a second one is named, as in glibc.i686",
  )

export const packageVersion = z
  .string('expected a package version as a quoted string')
  .regex(/^[A-Za-z0-9][A-Za-z0-9.+:~_^-]{0,120}$/, 'expected a whole package version such as "1.36.3-1.1"')

const keyFields = {
  key: z
    .string()
    .regex(/^-----BEGIN PGP PUBLIC KEY BLOCK-----/, 'expected an armored public key')
    .exactOptional()
    .describe('The armored public key that signs the repository.'),
  keyFrom: relativePath.exactOptional().describe('A file of the repository with that key, relative to the folder of the fleet.'),
}

/** Where a repository is and who signs it. */
export const aptRepositoryFields = {
  url: z
    .string()
    .regex(/^https?:\/\/\S+$/, 'expected an http or https URL')
    .describe('Where the repository is, such as "https://pkgs.k8s.io/core:/stable:/v1.36/deb/".'),
  suite: oneLine.exactOptional().describe('Such as "bookworm"; one that ends with "/" has no components. Default: "/".'),
  components: z.array(oneLine).max(50).exactOptional().describe('Such as "main". Required, unless the suite ends with "/".'),
  architectures: z.array(oneLine).max(20).exactOptional().describe("Default: the machine's own."),
  ...keyFields,
}

/** The same for packages of rpm, whichever program installs them. */
export const rpmRepositoryFields = {
  url: z
    .string()
    .regex(/^https?:\/\/\S+$/, 'expected an http or https URL')
    .describe(
      'Where the repository is, such as "https://pkgs.k8s.io/core:/stable:/v1.36/rpm/"; $releasever and $basearch are replaced on the host.',
    ),
  ...keyFields,
}

interface KeySources {
  readonly key?: string | undefined
  readonly keyFrom?: string | undefined
}

export const ONE_KEY = 'expected one of key and keyFrom'
export function hasOneKey({ key, keyFrom }: KeySources): boolean {
  return (key === undefined) !== (keyFrom === undefined)
}

export const COMPONENTS = 'expected components, or a suite that ends with "/"'
export function hasComponents({
  suite = '/',
  components = [],
}: {
  readonly suite?: string | undefined
  readonly components?: readonly string[] | undefined
}): boolean {
  return suite.endsWith('/') === (components.length === 0)
}

const apt = z.strictObject(aptRepositoryFields).refine(hasOneKey, ONE_KEY).refine(hasComponents, COMPONENTS)

const rpm = z.strictObject(rpmRepositoryFields).refine(hasOneKey, ONE_KEY)

const REPOSITORY = 'expected one of apt, dnf and zypper'

export const hostRepository = z
  .strictObject({
    name,
    apt: apt.exactOptional().describe('Of Debian packages.'),
    dnf: rpm.exactOptional().describe('Of rpm packages, where dnf manages them.'),
    zypper: rpm.exactOptional().describe('Of rpm packages, where zypper manages them.'),
  })
  .refine(({ apt, dnf, zypper }) => [apt, dnf, zypper].filter((source) => source !== undefined).length === 1, REPOSITORY)

export const hostPackage = z
  .strictObject({
    name: packageName,
    version: packageVersion
      .exactOptional()
      .describe('The whole version. Default: the one that is installed, else the newest one.'),
    state: z.enum(['present', 'absent']).exactOptional().describe('Default: present.'),
    hold: z
      .boolean()
      .exactOptional()
      .describe('Keep it from being upgraded by others. Default: true with a version, else unchanged.'),
    ifInstalled: z
      .literal(true)
      .exactOptional()
      .describe('The version counts where the package is installed; it is not installed for it. For security updates.'),
  })
  .refine(
    ({ version, state, hold }) => state !== 'absent' || (version === undefined && hold === undefined),
    'expected neither version nor hold with state: absent',
  )
  .refine(({ version, ifInstalled }) => !ifInstalled || version !== undefined, 'expected a version with ifInstalled')

export type HostRepositorySpec = z.infer<typeof hostRepository>
