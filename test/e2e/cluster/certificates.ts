/** The keys and certificates of one cluster: P-256, made by openssl, good for some days. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'

export interface CertificateRequest {
  /** Name of its files, without `.crt` and `.key`. */
  readonly name: string
  readonly user: string
  readonly groups?: readonly string[]
  /** Addresses and names of a server, as openssl writes them: `IP:10.0.0.1`, `DNS:localhost`. */
  readonly serves?: readonly string[]
}

export interface Certificates {
  readonly dir: string
  readonly caFile: string
  certFile(name: string): string
  keyFile(name: string): string
  issue(request: CertificateRequest): Promise<void>
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30']

/** Make the authority and the service-account key; every other certificate is issued when asked for. */
export async function createAuthority(dir: string): Promise<Certificates> {
  await mkdir(dir, { recursive: true })
  const certFile = (name: string) => join(dir, `${name}.crt`)
  const keyFile = (name: string) => join(dir, `${name}.key`)
  const files = (name: string) => ['-keyout', keyFile(name), '-out', certFile(name)]
  const usage = ['-addext', 'keyUsage=critical,digitalSignature,keyCertSign']
  await Promise.all([
    run('openssl', ['req', '-x509', ...newKey, '-subj', '/CN=kubernetes', ...usage, ...files('ca')]),
    run('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', keyFile('sa')]),
  ])
  const signed = ['-CA', certFile('ca'), '-CAkey', keyFile('ca')]

  async function issue({ name, user, groups = [], serves }: CertificateRequest): Promise<void> {
    const subject = `${groups.map((group) => `/O=${group}`).join('')}/CN=${user}`
    const purpose = serves
      ? [`subjectAltName=${serves.join(',')}`, 'extendedKeyUsage=serverAuth']
      : ['extendedKeyUsage=clientAuth']
    const extensions = ['basicConstraints=critical,CA:FALSE', ...purpose].flatMap((extension) => ['-addext', extension])
    await run('openssl', ['req', '-x509', ...newKey, ...signed, '-subj', subject, ...extensions, ...files(name)])
  }
  return { dir, caFile: certFile('ca'), certFile, keyFile, issue }
}

/** Certificate and key in one file, as a kubelet keeps its own. */
export async function writePair(certificates: Certificates, name: string, path: string): Promise<void> {
  await writeFile(path, await readFile(certificates.certFile(name)), { mode: 0o600 })
  await appendFile(path, await readFile(certificates.keyFile(name)))
}
