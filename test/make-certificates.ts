import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * An authority and a certificate that it signed, by openssl.
 * @param folder gets `ca.crt`, `server.crt` and their keys
 * @param serves who the certificate is of, as openssl writes it
 */
export async function makeCertificates(folder: string, serves = 'IP:127.0.0.1'): Promise<void> {
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const file = (name: string) => ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)]
  await run('openssl', ['req', '-x509', ...newKey, '-subj', '/CN=authority', ...file('ca')])
  const signed = ['-CA', join(folder, 'ca.crt'), '-CAkey', join(folder, 'ca.key')]
  const names = ['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', `subjectAltName=${serves}`]
  await run('openssl', ['req', '-x509', ...newKey, ...signed, '-subj', '/CN=server', ...names, ...file('server')])
}
