import type { PackageWork } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import type { Call } from '../rpm/rpm-front.ts'

/** Nobody is there to answer a question. Each archive is verified before it is used, by a keyring of our own. */
const SETTINGS = ['--non-interactive', '--xmlout', '--no-gpg-checks', '--no-refresh']
const INSTALL = [
  'install',
  '--oldpackage',
  '--no-recommends',
  '--auto-agree-with-licenses',
  '--allow-vendor-change',
  '--allow-unsigned-rpm',
  // The output names what a removal takes along; the caller judges it.
  '--force-resolution',
]
/** Newer versions of libzypp have it in the second place. */
const CONFIGURATIONS = ['/etc/zypp/zypp.conf', '/usr/etc/zypp/zypp.conf']
/** Seconds that zypper waits for who has its lock. */
const PATIENCE = 60

export interface ZypperCallOptions {
  readonly files: HostFiles
  readonly store: string
  /** Given to each call. */
  readonly settings: readonly string[]
}

/** Puts together calls of zypper, with a configuration that is the host's without its locks: a hold is judged by who asks. */
export class ZypperCall {
  readonly #options: ZypperCallOptions

  constructor(options: ZypperCallOptions) {
    this.#options = options
  }

  /** Where repositories and what is known of them are. */
  get place() {
    const at = `${this.#options.store}/index`
    return { repositories: `${at}/repositories`, cache: `${at}/cache`, packages: `${this.#options.store}/partial` }
  }

  /** Solves, and changes nothing. */
  solve(work: PackageWork): Promise<Call> {
    const [command, ...options] = INSTALL
    return this.#call(this.place.repositories, [command ?? '', '--dry-run', ...options, ...wordsOf(work)])
  }

  /** Does the work with archives alone. */
  async withoutRepositories(work: PackageWork): Promise<Call> {
    const none = `${this.#options.store}/index/none`
    await this.#options.files.writeAtomic(`${none}/.keep`, new Uint8Array())
    return this.#call(none, [...INSTALL, ...wordsOf(work)])
  }

  download(what: string): Promise<Call> {
    return this.#call(this.place.repositories, ['download', what])
  }

  async refresh(): Promise<Call> {
    const [program, args] = await this.#call(this.place.repositories, ['refresh'])
    return [program, args.filter((arg) => arg !== '--no-refresh')]
  }

  async #call(repositories: string, command: readonly string[]): Promise<Call> {
    const { cache, packages } = this.place
    const directories = ['--reposd-dir', repositories, '--cache-dir', cache, '--pkg-cache-dir', packages]
    const variables = [`ZYPP_CONF=${await this.#configuration()}`, `ZYPP_LOCK_TIMEOUT=${PATIENCE}`]
    return ['env', [...variables, 'zypper', ...SETTINGS, ...this.#options.settings, ...directories, ...command]]
  }

  async #configuration(): Promise<string> {
    const { files, store } = this.#options
    const path = `${store}/zypp.conf`
    const own = await files.read(CONFIGURATIONS[0] ?? '')
    const text = Buffer.from(own ?? (await files.read(CONFIGURATIONS[1] ?? '')) ?? []).toString()
    const kept = text.split('\n').filter((line) => !/^\s*locksfile\./.test(line))
    const settings = `[main]\nlocksfile.path = ${store}/no-locks\n`
    await files.writeAtomic(path, Buffer.from(`${kept.join('\n')}\n${settings}`), { mode: 0o600 })
    return path
  }
}

/** A package that is to go is written with an exclamation mark. */
function wordsOf({ install, remove }: PackageWork): string[] {
  return [...install, ...remove.map((name) => `!${name}`)]
}
