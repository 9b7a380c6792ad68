#!/bin/sh
echo $(date) "$(PORT)"
