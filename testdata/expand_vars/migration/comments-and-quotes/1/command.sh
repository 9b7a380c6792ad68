expand-vars DB_HOST=db < base/web.yaml | diff -U0 --label before --label after base/web.yaml -
