package rows

import "testing"

// The seed, and what else is secret in the environment, is sent to no host that a file names.
func TestVariablesForPasswords(t *testing.T) {
	lookup := func(string) (string, bool) { return "Geh31m", true }
	for name, taken := range map[string]bool{
		"SHOP_PASSWORD": true, "pgpassword": true, "X_passwd_2": true, "MINGLE_PASSWORD": true,
		"MINGLE_SEED": false, "MINGLE_SECRET": false, "AWS_SECRET_ACCESS_KEY": false, "HOME": false,
	} {
		p := Passwords{}
		_, err := p.Take("postgres://u:${"+name+"}@h/d", lookup)
		if (err == nil) != taken || len(p) == 1 != taken {
			t.Errorf("%s: %v, %d passwords", name, err, len(p))
		}
	}
}
